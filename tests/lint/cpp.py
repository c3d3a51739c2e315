"""A C++ tokenizer that is good enough for checks: comments, literals and preprocessor lines are taken out."""
import re
from typing import NamedTuple

TOKEN = re.compile(r"""
    (?P<blank>\s+)
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)")
  | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
  | (?P<char>(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
  | (?P<number>\.?\d(?:'?[\w.]|[eEpP][+-])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign>::|->|&&|\|\||[=!<>+\-*/]=|\.\.\.|.)
""", re.VERBOSE | re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|/\*.*?\*/|[^\n])*", re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


class Token(NamedTuple):
    kind: str  # word, sign, string, char, number
    text: str
    line: int


def scan(text):
    """Yields (kind, text, line), comments and blanks included."""
    line = 1
    for match in TOKEN.finditer(text):
        yield match.lastgroup if match.lastgroup != "mark" else "raw", match.group(), line
        line += match.group().count("\n")


def without_directives(text):
    """Preprocessor lines become empty lines; a comment or literal that looks like one stays what it is."""
    kept, at = [], 0
    for match in DIRECTIVE.finditer(text):
        if match.start() >= at and not inside_literal(text, match.start()):
            kept.append(text[at:match.start()] + "\n" * match.group().count("\n"))
            at = match.end()
    return "".join(kept) + text[at:]


def inside_literal(text, at):
    """Whether a line start lies in a block comment or a raw string that began before it."""
    opened = max(text.rfind("/*", 0, at), text.rfind('R"', 0, at))
    if opened < 0:
        return False
    match = TOKEN.match(text, opened)
    return match is not None and match.lastgroup in ("comment", "raw", "mark") and match.end() > at


def tokens(text):
    result = []
    for kind, value, line in scan(without_directives(text)):
        if kind in ("blank", "comment"):
            continue
        result.append(Token("string" if kind == "raw" else kind, value, line))
    return result


def strings(text):
    """(text between the quotes, line) of each string literal."""
    return [(value[value.find('"') + 1:-1], line) for kind, value, line in scan(text) if kind in ("string", "raw")]


def words(text):
    """(word, line) of each identifier outside comments and literals, preprocessor lines included."""
    return [(value, line) for kind, value, line in scan(text) if kind == "word"]


def includes(text):
    """(header, is_quoted, line) of each include."""
    return [(m.group(2), m.group(1) == '"', text.count("\n", 0, m.start()) + 1) for m in INCLUDE.finditer(text)]
