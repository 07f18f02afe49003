"""Text becomes an immutable program, once. Nothing here knows torch, typer or rich."""
