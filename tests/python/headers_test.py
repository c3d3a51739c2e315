"""The package and include/ps/c/*.h say the same: functions with their arguments, structs with their members, codes."""
import ctypes
import re

import pytest
from conftest import ROOT

from ps import _lib, _signatures, _types, dtypes, errors, runtime

TEXT = "\n".join(re.sub(r"//.*", "", path.read_text()) for path in sorted((ROOT / "include/ps/c").glob("*.h")))
FUNCTIONS = re.findall(r"PS_C_API\s+(int|const char\*)\s+(PS\w+)\s*\(([^)]*)\)\s*;", TEXT)
STRUCTS = re.findall(r"typedef struct (PS\w+) \{(.*?)\} \1;", TEXT, re.S)
CALLBACKS = re.findall(r"typedef (int|void) \(\*(PS\w+)\)\(([^)]*)\)\s*;", TEXT)

PLAIN = {"int": ctypes.c_int, "int64_t": ctypes.c_int64, "uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64,
         "size_t": ctypes.c_size_t, "char*": ctypes.c_char_p, "char**": _types.Texts, "void*": ctypes.c_void_p,
         "void**": _types.Handles, "int*": _types.Ints, "int64_t*": _types.Int64s,
         "uint64_t*": ctypes.POINTER(ctypes.c_uint64), "uint32_t*": ctypes.POINTER(ctypes.c_uint32),
         "size_t*": ctypes.POINTER(ctypes.c_size_t), "PSDeleter": _types.Deleter}


def type_of(declared):
    """The ctypes type of `const PSTensor* outs`."""
    kind = re.sub(r"\bconst\b|\s", "", re.match(r"(.*?)\w+$", declared.strip(), re.S).group(1))
    if kind in PLAIN:
        return PLAIN[kind]
    bare = kind.rstrip("*").removeprefix("PS")
    known = getattr(_types, bare, None)
    if isinstance(known, type):
        return ctypes.POINTER(known) if kind.endswith("*") else known
    assert f"typedef struct PS{bare}Object* PS{bare};" in TEXT, f"unknown: {declared}"
    return _types.Handles if kind.endswith("*") else _types.Handle


def types_of(declared):
    return tuple(type_of(one) for one in declared.split(",") if one.strip() != "void")


def test_every_function_is_there():
    assert len(FUNCTIONS) > 100
    assert {name for _, name, _ in FUNCTIONS} == set(_signatures.ARGUMENTS)


@pytest.mark.parametrize("result, name, arguments", FUNCTIONS, ids=[name for _, name, _ in FUNCTIONS])
def test_functions_have_the_arguments_of_their_declaration(result, name, arguments):
    assert _signatures.ARGUMENTS[name] == types_of(arguments)
    assert (result == "const char*") == (name in _signatures.TEXTS)


@pytest.mark.parametrize("name, members", STRUCTS, ids=[name for name, _ in STRUCTS])
def test_structs_have_the_members_of_their_declaration(name, members):
    declared = [one.strip() for one in members.split(";") if one.strip()]
    fields = getattr(_types, name.removeprefix("PS"))._fields_
    assert [field[0] for field in fields] == [re.search(r"(\w+)(?:\)\(.*)?$", one, re.S).group(1) for one in declared]
    for field, one in zip(fields, declared):
        if "(*" not in one:
            assert field[1] == type_of(one), one


@pytest.mark.parametrize("result, name, arguments", CALLBACKS, ids=[name for _, name, _ in CALLBACKS])
def test_callbacks_have_the_arguments_of_their_declaration(result, name, arguments):
    callback = getattr(_types, name.removeprefix("PS"))
    assert callback._argtypes_ == types_of(arguments)
    assert callback._restype_ == (ctypes.c_int if result == "int" else None)


def test_codes_types_and_roles_are_those_of_the_headers():
    def members(enum):
        return {name: int(value) for name, value in
                re.findall(r"PS_(\w+) = (\d+)", re.search(rf"enum {enum} \{{(.*?)\}}", TEXT, re.S).group(1))}

    codes = members("PSCode")
    assert codes.pop("OK") == 0
    assert {kind.code for kind in errors._BY_CODE.values()} == set(codes.values())
    short = {"F32": "float32", "F64": "float64", "F16": "float16", "U8": "uint8", "I32": "int32", "I8": "int8",
             "I64": "int64", "BOOL": "bool", "I16": "int16", "U16": "uint16", "U32": "uint32", "U64": "uint64",
             "BF16": "bfloat16"}
    assert {short[name]: code for name, code in members("PSDType").items()} == {d.name: d.code for d in dtypes.ALL}
    assert {name.lower(): code for name, code in members("PSRole").items()} == dict(zip(runtime.ROLES, range(4)))


def test_the_interface_has_the_number_that_the_package_is_for():
    assert _lib.lib.PSAbiVersion() == _lib.ABI_VERSION == int(re.search(r"PS_ABI_VERSION (\d+)", TEXT).group(1))
