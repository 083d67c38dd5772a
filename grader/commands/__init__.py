"""One subcommand per file, with its options; cli.py lists them."""
