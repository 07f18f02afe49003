"""Why a script died: torch's message, and what the graph, the variables and the script's text say of its cause."""
