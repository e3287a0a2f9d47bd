"""Writes the names of packages as lists: `names-of-origins.py PACKAGES` reads the packages below the folder, and writes
`people-ORIGIN/src/firstnames.json` and `lastnames.json` for each origin."""

import csv
import json
import random
import sys
from pathlib import Path

PACKAGES = Path(sys.argv[1])
# Japanese first names that are written in fewer ways are rare.
SPELLINGS = 12
# Names that are drawn for an origin whose package makes them up of syllables.
DRAWN = 6000


def main():
    write("india", *indian())
    write("ethiopia", ethiopian(), [])
    write("japan", *japanese())
    for origin, language in {"china": "zh", "korea": "ko"}.items():
        write(origin, *east_asian(language))


def indian():
    folder = PACKAGES / "indian_names"
    lists = [(folder / f"{name}.names").read_text().split() for name in ("first.male", "first.female", "last")]
    male, female, last = ([name.capitalize() for name in names] for names in lists)
    return male + female, last


def ethiopian():
    entries = json.loads((PACKAGES / "habesha_names/data/given_names.json").read_text())["entries"]
    return [name for entry in entries for name in [entry["canonical"], *entry["variants"]]]


def japanese():
    folder = PACKAGES / "japanese_personal_name_dataset/dataset"
    first = [
        romaji.capitalize()
        for part in ("man", "woman")
        for _, romaji, *spellings in csv.reader((folder / f"first_name_{part}_org.csv").open(encoding="utf-8"))
        if len(spellings) >= SPELLINGS
    ]
    last = [row[3].capitalize() for row in csv.reader((folder / "last_name_org.csv").open(encoding="utf-8"))]
    return first, last


def east_asian(language):
    sys.path.insert(0, str(PACKAGES))
    import randino

    random.seed(1)
    names = [name.split(" ", 1) for name in randino.rand_name(language=language, script="roman", count=DRAWN)]
    return [first for _, first in names], [last for last, _ in names]


def write(origin, first, last):
    folder = PACKAGES / f"people-{origin}/src"
    folder.mkdir(parents=True, exist_ok=True)
    for kind, names in {"firstnames": first, "lastnames": last}.items():
        (folder / f"{kind}.json").write_text(json.dumps(list(dict.fromkeys(names)), ensure_ascii=False))


main()
