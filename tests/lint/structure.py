"""Finds the classes and functions of a C++ file, from its tokens: names, lengths, parameters, nesting, access."""
import re
from dataclasses import dataclass, field

import cpp

OPENERS = {"(": ")", "[": "]", "{": "}"}
CONTROL = {"if", "for", "while", "switch"}
CLASS_KEYS = {"class", "struct", "union"}
ACCESS = {"public", "protected", "private"}
NOT_A_NAME = CONTROL | {"return", "sizeof", "decltype", "alignas", "noexcept", "static_assert", "throw", "catch",
                        "operator", "explicit", "requires", "new", "delete"}


@dataclass
class Function:
    name: str
    line: int
    end_line: int = 0
    parameters: int = 0
    nesting: int = 0

    @property
    def length(self):
        return self.end_line - self.line + 1 if self.end_line else 0


@dataclass
class Class:
    name: str
    line: int
    methods: set = field(default_factory=set)  # names of the public ones; not constructors, operators, static ones


def is_macro(text):
    return re.fullmatch(r"[A-Z][A-Z0-9_]{3,}", text) is not None


class Parser:
    """Walks the scopes of one file. Afterwards functions (declared or defined) and classes are complete."""

    def __init__(self, text):
        self.tokens = cpp.tokens(text)
        self.functions = []
        self.classes = []
        self.close = self.match_brackets()
        self.scope(0, len(self.tokens), None)

    def text(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def match_brackets(self):
        close, stack = {}, []
        for i, token in enumerate(self.tokens):
            if token.kind != "sign":
                continue
            if token.text in OPENERS:
                stack.append(i)
            elif token.text in OPENERS.values() and stack:
                close[stack.pop()] = i
        return close

    def after(self, i):
        """The index behind the bracket that opens at i."""
        return self.close.get(i, len(self.tokens)) + 1

    # --- namespaces and classes ---

    def scope(self, i, end, owner):
        public = owner is None or owner[1] != "class"
        while i < end:
            if self.text(i) in ACCESS and self.text(i + 1) == ":":
                public = self.text(i) == "public"
                i += 2
                continue
            i = self.declaration(i, end, owner[0] if owner else None, public)

    def declaration(self, start, end, owner, public):
        """Consumes one declaration; returns the index behind it."""
        i = start
        while i < end:
            text = self.text(i)
            if text == ";":
                self.note_function(start, i, owner, public)
                return i + 1
            if text == "{":
                return self.braces(start, i, end, owner, public)
            if text == "<" and self.text(i - 1) == "template":
                i = self.after_angles(i)
            elif text in ("(", "["):
                i = self.after(i)
            elif text == "}":
                return i + 1
            else:
                i += 1
        return end

    def braces(self, start, i, end, owner, public):
        head = self.head(start, i)
        if "namespace" in head or head[:1] == ["extern"] and len(head) == 2:
            self.scope(i + 1, self.close.get(i, end), None)
            return self.after(i)
        if "enum" in head:
            return self.behind_semicolon(self.after(i), end)
        key = next((t for t in head if t in CLASS_KEYS), None)
        name_at = self.function_name(start, i)
        if key and name_at is None:
            self.enter_class(start, i, key, end)
            return self.behind_semicolon(self.after(i), end)
        if name_at is None:
            if not head:  # a bare block, as a macro may leave it
                return self.after(i)
            return self.behind_semicolon(self.after(i), end)
        body = self.body(name_at, i, end)
        function = self.note_function(start, body, owner, public)
        function.end_line = self.tokens[min(self.close.get(body, end), len(self.tokens) - 1)].line
        function.nesting = Nesting(self).block(body + 1, self.close.get(body, end), 0)
        return self.after(body)

    def head(self, start, end):
        """The words at the outer level of a declaration, macro calls and template heads left out."""
        found, i = [], start
        while i < end:
            if self.text(i) in OPENERS:
                i = self.after(i)
            elif self.text(i) == "template" and self.text(i + 1) == "<":
                i = self.after_angles(i + 1)
            else:
                if self.tokens[i].kind in ("word", "string"):
                    found.append(self.text(i))
                i += 1
        return found

    def enter_class(self, start, i, key, end):
        at, name = start, "(unnamed)"
        while self.text(at) != key:
            at = self.after_angles(at + 1) if self.text(at) == "template" and self.text(at + 1) == "<" else at + 1
        while at < i and self.text(at) != ":":
            if self.text(at) in OPENERS:
                at = self.after(at)
                continue
            if self.tokens[at].kind == "word" and self.text(at) not in CLASS_KEYS | {"final"} and \
                    not is_macro(self.text(at)):
                name = self.text(at)
            at += 1
        found = Class(name, self.tokens[start].line)
        self.classes.append(found)
        self.scope(i + 1, self.close.get(i, end), (found, key))

    def behind_semicolon(self, i, end):
        while i < end and self.text(i) != ";":
            i = self.after(i) if self.text(i) in OPENERS else i + 1
        return i + 1

    def after_angles(self, i):
        depth = 0
        while i < len(self.tokens):
            text = self.text(i)
            depth += (text == "<") - (text == ">")
            i = self.after(i) if text in OPENERS else i + 1
            if depth == 0:
                return i
        return i

    # --- functions ---

    def function_name(self, start, end):
        """The index of the name in "name(parameters)"; None where this declares no function."""
        i = start
        while i < end:
            text = self.text(i)
            if text == "template" and self.text(i + 1) == "<":
                i = self.after_angles(i + 1)
            elif text == "operator":
                while i < end and (self.text(i + 1) != "(" or self.text(i) == "operator" and self.text(i + 2) == ")"):
                    i += 1
                return i if i < end else None
            elif text == "=" or text in ("using", "typedef"):
                return None
            elif text == "<":
                i = self.after_angles(i)
            elif text == "(":
                name = self.text(i - 1)
                if i > start and self.tokens[i - 1].kind == "word" and name not in NOT_A_NAME and \
                        not self.is_annotation(i, end):
                    return i - 1
                i = self.after(i)
            else:
                i = self.after(i) if text in OPENERS else i + 1
        return None

    def is_annotation(self, i, end):
        """Whether the macro called at i is an attribute or annotation, not a test: more declaration follows it."""
        if not is_macro(self.text(i - 1)):
            return False
        return self.text(self.after(i)) != "{" or self.after(i) > end

    def body(self, name_at, i, end):
        """The opening brace of the body, behind a constructor's initializers, the first of which may open at i."""
        at = self.after(name_at + 1)
        initializers = False
        while at < end and self.text(at) != "{" or at < end and initializers and self.text(at - 1) not in (")", "}"):
            initializers = initializers or self.text(at) == ":"
            at = self.after(at) if self.text(at) in OPENERS else at + 1
        return at if at < end else i

    def note_function(self, start, end, owner, public):
        name_at = self.function_name(start, end)
        if name_at is None:
            return None
        name = self.spelled(name_at)
        function = Function(name, self.tokens[start].line, parameters=self.count_parameters(name_at + 1))
        if is_macro(name):  # TEST(Suite, Name)
            inside = [self.text(k) for k in range(name_at + 2, self.close.get(name_at + 1, end))]
            function.name, function.parameters = "".join(inside).replace(",", "."), 0
        self.functions.append(function)
        if owner is not None and public and self.is_method(start, name_at, end, owner):
            owner.methods.add(name)
        return function

    def spelled(self, name_at):
        start = name_at
        while self.text(start) != "operator" and name_at - start < 3:
            start -= 1
        if self.text(start) == "operator":
            return "".join(self.text(k) for k in range(start, name_at + 1))
        if self.text(name_at - 1) == "::":
            return self.text(name_at - 2) + "::" + self.text(name_at)
        return self.text(name_at)

    def is_method(self, start, name_at, end, owner):
        head = self.head(start, name_at)
        special = self.text(name_at) == owner.name or "operator" in head + [self.text(name_at)] or \
            {"friend", "static"} & set(head)
        deleted = self.text(end) == ";" and self.text(end - 1) in ("delete", "default")
        return not special and not deleted

    def count_parameters(self, i):
        end = self.close.get(i, len(self.tokens))
        if end == i + 1 or end == i + 2 and self.text(i + 1) == "void":
            return 0
        count, angles, at = 1, 0, i + 1
        while at < end:
            text = self.text(at)
            angles += (text == "<") - (text == ">" and angles > 0)
            count += text == "," and angles == 0
            at = self.after(at) if text in OPENERS else at + 1
        return count


class Nesting:
    """How deep control statements lie in each other; "else if" and lambdas add nothing of their own."""

    def __init__(self, parser):
        self.p = parser

    def block(self, i, end, depth):
        deepest = depth
        while i < end:
            i, reached = self.statement(i, end, depth)
            deepest = max(deepest, reached)
        return deepest

    def statement(self, i, end, depth):
        """Consumes one statement; returns (index behind it, deepest level in it)."""
        text = self.p.text(i)
        if text == "{":
            close = self.p.close.get(i, end)
            return close + 1, self.block(i + 1, close, depth)
        if text in CONTROL:
            return self.control(i, end, depth)
        if text in ("do", "try"):
            behind, reached = self.statement(i + 1, end, depth + 1)
            while self.p.text(behind) == "catch":
                behind, more = self.statement(self.p.after(behind + 1), end, depth + 1)
                reached = max(reached, more)
            return behind, reached
        return self.expression(i, end, depth)

    def control(self, i, end, depth):
        i += 1
        while i < end and self.p.text(i) != "(":
            i += 1
        _, reached = self.expression(i + 1, self.p.close.get(i, end), depth)
        i, inner = self.statement(self.p.after(i), end, depth + 1)
        reached = max(reached, inner)
        if self.p.text(i) == "else":
            chained = self.p.text(i + 1) == "if"
            i, inner = self.statement(i + 1, end, depth if chained else depth + 1)
            reached = max(reached, inner)
        return i, reached

    def expression(self, i, end, depth):
        """Up to the semicolon; looks into the bodies of lambdas on the way."""
        deepest = depth
        while i < end:
            text = self.p.text(i)
            if text == ";":
                return i + 1, deepest
            if text == ":" and self.p.text(i - 1) not in ("?",) and self.is_label(i):
                return i + 1, deepest
            if text == "{" and self.is_lambda(i):
                deepest = max(deepest, self.block(i + 1, self.p.close.get(i, end), depth))
                i = self.p.after(i)
            elif text in OPENERS:
                close = self.p.close.get(i, end)
                at = i + 1
                while at < close:
                    at, reached = self.expression(at, close, depth)
                    deepest = max(deepest, reached)
                i = close + 1
            else:
                i += 1
        return end, deepest

    def is_label(self, i):
        start = i - 1
        while start > 0 and self.p.text(start) not in (";", "{", "}", ":"):
            start -= 1
        return self.p.text(start + 1) in ("case", "default")

    def is_lambda(self, i):
        return self.p.text(i - 1) in (")", "]", "mutable", "noexcept") or self.p.text(i - 2) == "->"
