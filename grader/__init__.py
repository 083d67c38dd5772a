"""The autograder: the `./lab` command and its parts."""

__version__ = "0.1.0"
