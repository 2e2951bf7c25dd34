"""Translators whose streams have one fault, or one harmless habit: the reference's, spoilt on the way in or out."""
