"""Every diagnosis explained at length: one file a family, one page a code."""

from __future__ import annotations

from gradcli.diagnosis.catalogue import CATALOGUE
from gradcli.diagnosis.pages import backward, flat, infinite, missing, numbers, training
from gradcli.diagnosis.pages.page import Page

__all__ = ["FAMILIES", "PAGES", "WRITTEN", "Page", "family"]

# What the codes of a hundred have in common.
FAMILIES = {
    "G1": "a gradient is missing, or not where it is looked for",
    "G2": "backward and in-place writes",
    "G3": "NaN and infinity",
    "G4": "gradients of zero",
    "G5": "kinks",
    "G6": "dtypes, shapes, conventions",
    "G7": "training",
}

WRITTEN: dict[str, Page] = {
    page.code: page for part in (missing, backward, infinite, flat, numbers, training) for page in part.PAGES
}

# Those that gradcli can give; a page may be written before its rule is.
PAGES: dict[str, Page] = {code: WRITTEN[code] for code in CATALOGUE if code in WRITTEN}


def family(code: str) -> str:
    """What a code's neighbours are about."""
    return FAMILIES[code[:2]]
