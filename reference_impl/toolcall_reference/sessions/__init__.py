"""What is kept between the exchanges of a session."""
