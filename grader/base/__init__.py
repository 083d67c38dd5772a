"""What every room uses: paths, files, errors, verdicts, the console, running a process."""
