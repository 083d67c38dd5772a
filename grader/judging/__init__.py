"""Getting the verdict on one stage from a judge, a sanitizer or the compiler."""
