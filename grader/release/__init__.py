"""What students receive: the kit without its solutions, and the numbers that replace them."""
