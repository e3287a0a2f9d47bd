"""A plug-in detector that finds employee ids such as `EMP-123456`."""

import re

from wit_world import WitWorld as World
from wit_world.imports.detection import Detection, Text

ID = re.compile("EMP-[0-9]{6}")


class WitWorld(World):
    def detect(self, text: Text) -> list[Detection]:
        # In `{"employee": "123456"}` the name says what the value is.
        if text.name == "employee" and re.fullmatch("[0-9]{6}", text.content):
            return [employee_id(text.content, 0, len(text.content))]
        return [employee_id(text.content, *match.span()) for match in ID.finditer(text.content)]


def employee_id(content: str, start: int, end: int) -> Detection:
    """Offsets are bytes of UTF-8; Python counts characters."""
    start, end = (len(content[:at].encode()) for at in (start, end))
    return Detection(start=start, end=end, entity="EMPLOYEE_ID", score=95)
