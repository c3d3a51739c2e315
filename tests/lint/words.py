#!/usr/bin/env python3
"""Words and files that do not belong into the project: foreign paths, things left undone, sleeps, stray files."""
import re
import sys

import cpp
import report

TOP_LEVEL = {"include", "src", "proto", "tracker", "examples", "tests", "make", "Makefile", "README.md", ".ci",
             ".clang-format", ".clang-tidy", ".gitignore", "LICENSE", "CHANGELOG.md"}
# Written so that they don't find themselves.
PATTERNS = (
    (re.compile(r"(?<![\w.~}])/(?:work|farm|root)/"), "a path of one machine"),
    (re.compile(r"/tmp/(?!X{3})[a-z]+/"), "a path of one machine"),
    (re.compile(r"\b(?:T[O]DO|F[I]XME|X[X]X\b|H[A]CK)\b"), "left undone"),
    (re.compile(r"\b(?:deb|registry)\.[a-z]+\.org\b"), "the host of a registry"),
)
# Under pipefail who writes to it fails now and then, because it ends before it has read everything.
ENDS_EARLY = re.compile(r"\|\s*(?:grep\s+(?:-\w+\s+)*-\w*q|head\b)")
SLEEPS = {"sleep_for", "sleep_until", "usleep", "nanosleep", "sleep"}
VAGUE = re.compile(r"(?:^|_)(?:utils?|common|misc|helpers?|manager)\.(?:h|cc|py)$")
LEGACY = ("include/ps/internal/",)


def check_text(path, text, messages):
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, what in PATTERNS:
            match = pattern.search(line)
            if match:
                messages.add(path, number, f"'{match.group()}': {what}", f"{path} {match.group()}")


def check_pipes(path, text, messages):
    for number, line in enumerate(text.splitlines(), 1):
        match = ENDS_EARLY.search(line)
        if match:
            messages.add(path, number, f"'{match.group()}' ends before it has read all: grep ... >/dev/null, or sed",
                         f"{path} {match.group()}")


def check_sleeps(path, text, messages):
    for word, line in cpp.words(text):
        if word in SLEEPS:
            messages.add(path, line, f"{word}: wait for a condition or an event instead", f"{path} {word}")


def main():
    top = report.root()
    messages = report.Report("words", top)
    for path in report.project_files(top):
        if path.split("/")[0] not in TOP_LEVEL:
            messages.add(path, 1, "the top level holds only what the architecture lists")
        if VAGUE.search(path.split("/")[-1]) and not path.startswith(LEGACY):
            messages.add(path, 1, "name it after its one concept")
        if path == "LICENSE" or path.startswith("tests/fuzz/corpus/"):
            continue
        text = report.read(top, path)
        check_text(path, text, messages)
        if path.endswith(".sh"):
            check_pipes(path, text, messages)
        if path.startswith(("src/", "include/", "tests/")) and path.endswith((".h", ".cc", ".cu")):
            check_sleeps(path, text, messages)
    return messages.finish()


if __name__ == "__main__":
    sys.exit(main())
