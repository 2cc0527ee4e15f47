"""SARIF 2.1.0: rules, regions, fixes and fingerprints, as code scanning services read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from .. import __version__
from .plain import dumped
from .remark import Remark, Replacement, link

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def document(remarks: Iterable[Remark]) -> str:
    """The log: one run. What could not be treated is a notification of its invocation."""
    found = list(remarks)
    results = [remark for remark in found if remark.level != "error"]
    failures = [remark for remark in found if remark.level == "error"]
    rules = _rules(results)
    order = {rule["id"]: index for index, rule in enumerate(rules)}
    driver = {"name": "torch-refactor", "version": __version__, "semanticVersion": __version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not failures,
                "toolExecutionNotifications": [
                    {"level": "error", "message": {"text": remark.message}, "locations": _locations(remark)}
                    for remark in failures
                ],
            }
        ],
        "results": [_result(remark, order[remark.code]) for remark in results],
    }
    return dumped({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rules(results: Sequence[Remark]) -> list[dict[str, Any]]:
    """A descriptor of each rule that has a result."""
    from .rules import pages

    known = {own.code: own for own in pages()}
    rules = []
    for code, remark in sorted({remark.code: remark for remark in results}.items()):
        rule: dict[str, Any] = {"id": code, "name": remark.name, "defaultConfiguration": {"level": remark.level}}
        if code in known:
            text = known[code].markdown
            summary, _, _ = known[code].documentation.strip().partition("\n")
            rule |= {"shortDescription": {"text": summary}, "help": {"text": text, "markdown": text}}
        address = link(known[code].registry) if code in known else remark.link
        rules.append(rule | ({"helpUri": address} if address else {}))
    return rules


def _result(remark: Remark, index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": remark.code,
        "ruleIndex": index,
        "level": remark.level,
        "message": {"text": "\n".join((remark.text, *remark.details))},
        "locations": _locations(remark),
        "partialFingerprints": {"torchRefactor/v1": remark.fingerprint},
    }
    if remark.cure is not None:
        replacements = [
            {"deletedRegion": _region(new), "insertedContent": {"text": new.text}} for new in remark.cure.replacements
        ]
        change = {"artifactLocation": _artifact(remark.path), "replacements": replacements}
        result["fixes"] = [{"description": {"text": remark.cure.summary}, "artifactChanges": [change]}]
    return result


def _locations(remark: Remark) -> list[dict[str, Any]]:
    if not remark.path:
        return []
    place: dict[str, Any] = {"artifactLocation": _artifact(remark.path)}
    # The lines of a cell are not those of the notebook's file; the message names them.
    if remark.line and not remark.cell:
        place["region"] = _region(remark)
    location: dict[str, Any] = {"physicalLocation": place}
    if remark.cell:
        location["logicalLocations"] = [{"name": f"cell {remark.cell}"}]
    return [location]


def _artifact(path: str) -> dict[str, str]:
    return {"uri": quote(path), "uriBaseId": "%SRCROOT%"}


def _region(place: Remark | Replacement) -> dict[str, int]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
