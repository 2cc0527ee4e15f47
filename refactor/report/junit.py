"""JUnit's XML: a suite a file, a failed case a remark."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from xml.etree import ElementTree

from .remark import Remark

# What XML 1.0 cannot hold, not even escaped.
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def document(remarks: Iterable[Remark]) -> str:
    """The document; without a remark it has one case that passes."""
    found = list(remarks)
    failed = [remark for remark in found if remark.level != "error"]
    root = _element(
        None, "testsuites", name="refactor", tests=len(found), failures=len(failed), errors=len(found) - len(failed)
    )
    for path, group in itertools.groupby(found, key=lambda remark: remark.path):
        own = list(group)
        broken = sum(remark.level == "error" for remark in own)
        suite = _element(root, "testsuite", name=path, tests=len(own), failures=len(own) - broken, errors=broken)
        for remark in own:
            _case(suite, remark)
    if not found:
        suite = _element(root, "testsuite", name="refactor", tests=1, failures=0, errors=0)
        _element(suite, "testcase", name="nothing found", classname="refactor")
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}'


def _case(suite: ElementTree.Element, remark: Remark) -> None:
    place = f"cell {remark.cell}, line {remark.line}" if remark.cell else f"line {remark.line}"
    name = f"{remark.code} {place}, column {remark.column}"
    case = _element(suite, "testcase", name=name, classname=remark.path, file=remark.path, line=remark.line)
    kind = "error" if remark.level == "error" else "failure"
    text = _element(case, kind, message=remark.message, type=remark.name)
    text.text = _ILLEGAL.sub("\ufffd", "\n".join((f"{remark.path}: {place}: {remark.message}", *remark.details)))


def _element(parent: ElementTree.Element | None, tag: str, **attributes: object) -> ElementTree.Element:
    told = {key: _ILLEGAL.sub("\ufffd", str(value)) for key, value in attributes.items()}
    return ElementTree.Element(tag, told) if parent is None else ElementTree.SubElement(parent, tag, told)
