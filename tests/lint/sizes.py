#!/usr/bin/env python3
"""Sizes of files, functions and classes stay within the house limits; prints the largest file and function."""
import sys

import report
import structure

FILE_LINES = 400
HEADER_LINES = 200
FUNCTION_LINES = 60
PARAMETERS = 5
# C has neither objects nor defaults, and its users know MXNet's signatures.
C_FOLDERS = ("include/ps/c/", "src/c_api/")
C_PARAMETERS = 9
NESTING = 3
PUBLIC_METHODS = 12

CHECKED = ("src/", "include/", "tests/", "examples/")


class Checker:
    def __init__(self, top):
        self.top = top
        self.report = report.Report("sizes", top)
        self.largest_file = (0, "")
        self.largest_function = (0, "")

    def limit(self, path, line, what, value, bound):
        if value > bound:
            name = what.split(" has ")[0]
            self.report.add(path, line, f"{what} {value}, more than {bound}", f"{path} {name}")

    def check_file(self, path, text):
        lines = len(text.splitlines())
        self.largest_file = max(self.largest_file, (lines, path))
        header = path.endswith(".h")
        self.limit(path, 1, "file has lines:", lines, HEADER_LINES if header else FILE_LINES)
        if path.endswith((".h", ".c", ".cc", ".cu")):
            self.check_structure(path, structure.Parser(text))

    def check_structure(self, path, parsed):
        parameters = C_PARAMETERS if path.startswith(C_FOLDERS) else PARAMETERS
        for function in parsed.functions:
            self.largest_function = max(self.largest_function, (function.length, f"{function.name} in {path}"))
            for what, value, bound in (("lines", function.length, FUNCTION_LINES),
                                       ("parameters", function.parameters, parameters),
                                       ("nesting depth", function.nesting, NESTING)):
                self.limit(path, function.line, f"{function.name} has {what}:", value, bound)
        for found in parsed.classes:
            self.limit(path, found.line, f"{found.name} has public methods:", len(found.methods), PUBLIC_METHODS)

    def run(self):
        for path in report.project_files(self.top):
            if path.startswith(CHECKED) and path.endswith((".h", ".c", ".cc", ".cu", ".py", ".sh")):
                self.check_file(path, report.read(self.top, path))
        print("sizes: largest file {0[0]} lines ({0[1]}), largest function {1[0]} lines ({1[1]})".format(
            self.largest_file, self.largest_function))
        return self.report.finish()


if __name__ == "__main__":
    sys.exit(Checker(report.root()).run())
