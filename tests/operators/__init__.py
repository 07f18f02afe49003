"""torch's own operator suite as a witness: its samples written as text, evaluated by gradcli and by torch itself."""
