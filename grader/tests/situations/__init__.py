"""What is in the catalogue of messages: commands, and what was done before them."""
