"""How the documentation is kept true: its blocks are run, and its tables are made from the program's own."""
