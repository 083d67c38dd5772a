"""What this machine is, has and lacks; installing what is missing."""
