"""What torch says about gradients: every error and warning that gradcli can explain, one row a message.

Adding a message is adding its row to the file of its family, and code that raises it to tests/diagnosis/raising.py.
"""

from __future__ import annotations

from gradcli.diagnosis.messages import backward, changes, checks, derivatives, functions, leaves, training, transforms
from gradcli.diagnosis.messages.message import Message

__all__ = ["FAMILIES", "MESSAGES", "Message"]

# In this order the families are asked: of two messages in the same place the first is meant.
FAMILIES = (backward, changes, leaves, derivatives, functions, transforms, checks, training)

MESSAGES: tuple[Message, ...] = tuple(one for family in FAMILIES for one in family.MESSAGES)
