"""Pages in HTML, one file each that asks no other file or machine: a student's, and a class's."""
