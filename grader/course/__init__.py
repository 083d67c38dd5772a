"""A class: its course folder, who handed in what and when, grading all of it, and marks."""
