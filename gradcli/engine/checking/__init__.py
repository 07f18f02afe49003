"""Is a derivative right? Independent witnesses, and a verdict that is careful about what each can resolve."""
