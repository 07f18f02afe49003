"""What to write instead, in the user's own names: offered only where it was tried and gives what it should."""

from __future__ import annotations

from gradcli.diagnosis.evidence import Evidence
from gradcli.engine.proving.causes import Cause
from gradcli.engine.proving.replay import Passed


def repair(evidence: Evidence, cause: Cause, masker: Passed | None) -> str:
    """A sentence with the text to write and the gradient that it gives, or nothing."""
    return ""
