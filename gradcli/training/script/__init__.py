"""The script's own text beside what torch recorded: which line made a value, and where the path to it is cut."""
