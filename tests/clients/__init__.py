"""Published clients, played through the reference gateway against scripted providers of other formats."""
