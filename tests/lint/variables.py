#!/usr/bin/env python3
"""Every DMLC_* and PS_* variable that the library knows is in README.md's table, and the other way round.

The table of the code is the string literals of src/base/config.cc and src/base/variables.cc. Texts elsewhere (error
messages say which variable to set) may name known variables only.
"""
import re
import sys

import cpp
import report

TABLES = ("src/base/config.cc", "src/base/variables.cc")
NAME = re.compile(r"\b(?:DMLC|PS)_[A-Z][A-Z0-9_]*[A-Z0-9]\b")
# A row of the table begins with the names it is about: | `PS_VERBOSE` | ...
ROW = re.compile(r"^\|\s*(`[^|]*)\|")


def known_in_code(top, files):
    """{name: (path, line)}: literals of the tables that are a variable's name and nothing else."""
    known = {}
    for path in TABLES:
        if path in files:
            for text, line in cpp.strings(report.read(top, path)):
                if NAME.fullmatch(text):
                    known.setdefault(text, (path, line))
    return known


def documented(top, files):
    rows = {}
    if "README.md" in files:
        for number, line in enumerate(report.read(top, "README.md").splitlines(), 1):
            match = ROW.match(line)
            for name in NAME.findall(match.group(1)) if match else []:
                rows.setdefault(name, number)
    return rows


def main():
    top = report.root()
    messages = report.Report("variables", top)
    files = set(report.project_files(top))
    known, rows = known_in_code(top, files), documented(top, files)
    for name, (path, line) in sorted(known.items()):
        if name not in rows:
            messages.add(path, line, f"{name} is not in README.md's table of variables", name)
    for name, line in sorted(rows.items()):
        if name not in known:
            messages.add("README.md", line, f"{name} is in the table, but the library does not know it", name)
    for path in sorted(files):
        if path.startswith(("src/", "include/")) and path.endswith((".h", ".cc")) and path not in TABLES:
            for text, line in cpp.strings(report.read(top, path)):
                for name in NAME.findall(text):
                    if name not in known:
                        messages.add(path, line, f"names {name}, which is not a variable the library knows", name)
    return messages.finish()


if __name__ == "__main__":
    sys.exit(main())
