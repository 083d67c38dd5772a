"""Where submissions run: bubblewrap, and the canary that tests whether it holds."""
