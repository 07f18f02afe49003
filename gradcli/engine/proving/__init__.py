"""Evidence for diagnoses, made by evaluating again: what each step received and gave back, and what would change it."""
