"""The ways in. They read what a person typed, call a command, and show its result."""
