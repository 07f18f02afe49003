"""Training, watched from outside: hooks that change nothing, and rules that read what they saw."""
