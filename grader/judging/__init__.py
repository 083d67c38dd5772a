"""Asking a judge, a sanitizer or the compiler for the verdict on one stage."""
