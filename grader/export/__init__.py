"""Marks and results in the forms that other systems read; pure functions, text in and text out."""
