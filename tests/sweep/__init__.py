"""Sweeps: their numbers, their findings, how they are shown."""
