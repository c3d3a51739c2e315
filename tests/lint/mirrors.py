#!/usr/bin/env python3
"""tests/ mirrors src/: each source has its test, and each test has something to test."""
import sys

import report

# These folders hold tests of the whole, or are not about src/.
FREE_FOLDERS = ("regress", "process", "netns", "compat", "tracker", "examples", "install", "lint", "support", "fuzz", "bench",
                "runner", "chaos", "gpu")
NOT_MIRRORED = ("src/tools/", "src/python/", "src/lua/")


def main():
    top = report.root()
    messages = report.Report("mirrors", top)
    files = set(report.project_files(top))
    public = {p.rsplit("/", 1)[-1][:-len(".h")] for p in files if p.startswith("include/ps/")}

    for path in sorted(files):
        if path.startswith("src/") and path.endswith(".cc") and not path.startswith(NOT_MIRRORED):
            test = "tests/" + path[len("src/"):-len(".cc")] + "_test.cc"
            if test not in files:
                messages.add(path, 1, f"has no {test}")
        if path.startswith("tests/") and path.endswith("_test.cc"):
            name = path[len("tests/"):-len("_test.cc")]
            if name.split("/")[0] in FREE_FOLDERS:
                continue
            mirrored = any(f"src/{name}{end}" in files for end in (".cc", ".h", ".cu"))
            if not mirrored and name.split("/")[-1] not in public:
                messages.add(path, 1, f"mirrors neither src/{name}.cc or .h nor a header in include/ps/")
    return messages.finish()


if __name__ == "__main__":
    sys.exit(main())
