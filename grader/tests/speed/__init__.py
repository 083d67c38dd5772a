"""What is fast, as ratios of one run: a slow or busy machine slows both sides."""
