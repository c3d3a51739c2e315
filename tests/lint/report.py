"""What every check shares: the files of the project, and its messages with their exemptions.

A message is "file:line: text [subject]". exempt.txt may list "check | subject | reason"; an exemption that no message
needs is itself an error, so that the list can only shrink.
"""
import os
import subprocess
import sys

SKIPPED_FOLDERS = {".git", "__pycache__", "node_modules"}


def root():
    """The tree to check: the first argument, else the one this script lies in."""
    if len(sys.argv) > 1:
        return os.path.abspath(sys.argv[1])
    return os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


def project_files(top):
    """Paths relative to top: what git tracks or would track; without git, everything but build folders."""
    if os.path.isdir(os.path.join(top, ".git")):
        text = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=top, check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        return sorted(p for p in text.splitlines() if os.path.isfile(os.path.join(top, p)))
    found = []
    for folder, folders, names in os.walk(top):
        folders[:] = [f for f in folders
                      if f not in SKIPPED_FOLDERS and not (folder == top and f.startswith("build"))]
        found += [os.path.relpath(os.path.join(folder, name), top) for name in names]
    return sorted(found)


def read(top, path):
    with open(os.path.join(top, path), encoding="utf-8", errors="replace") as f:
        return f.read()


class Report:
    def __init__(self, check, top):
        self.check = check
        self.failed = False
        self.used = set()
        self.exempt = self.load(top)

    def load(self, top):
        path = os.path.join("tests", "lint", "exempt.txt")
        exempt = {}
        if not os.path.exists(os.path.join(top, path)):
            return exempt
        for number, line in enumerate(read(top, path).splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            parts = [part.strip() for part in line.split("|")]
            if len(parts) != 3 or not all(parts):
                self.error(path, number, "expected 'check | subject | reason'")
            elif parts[0] == self.check:
                exempt[parts[1]] = number
        return exempt

    def add(self, path, line, text, subject=None):
        subject = subject or path
        if subject in self.exempt:
            self.used.add(subject)
        else:
            self.error(path, line, f"{text} [{self.check} | {subject}]")

    def error(self, path, line, text):
        self.failed = True
        print(f"{path}:{line}: {text}")

    def finish(self):
        for subject, number in self.exempt.items():
            if subject not in self.used:
                self.error("tests/lint/exempt.txt", number, f"exemption no longer needed: {self.check} | {subject}")
        return 1 if self.failed else 0
