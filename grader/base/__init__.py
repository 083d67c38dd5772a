"""What every room stands on: paths, files, errors, verdicts, the console, running a process."""
