"""What this machine is, what it has and what it lacks; how missing tools are installed."""
