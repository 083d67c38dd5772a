"""Where submissions run: bubblewrap, and the canary that proves that it holds."""
