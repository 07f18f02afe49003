"""What a step makes and takes, told from its operands alone, in plain Python: rules, one file a kind of step.

A rule never tells less than torch makes, and where it can it tells exactly that.
"""
