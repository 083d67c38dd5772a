"""What a student sees between two saves: messages, causes, the screen of watch, kept versions."""
