"""From source to program: the kit's own parts, and a submission as a worker."""
