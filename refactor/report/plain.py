"""JSON as all reports write it: indented, readable, and valid UTF-8."""

from __future__ import annotations

import json
import re
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")


def dumped(data: Any) -> str:
    """Plain data as JSON; what a file name holds that is no UTF-8 is escaped."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
