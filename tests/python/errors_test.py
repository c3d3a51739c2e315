"""Exceptions by code, and what callbacks raise."""
import pytest

from ps import _callback, _lib, errors

BUILTINS = {1: ValueError, 2: TimeoutError, 3: ConnectionError, 4: RuntimeError, 5: KeyError, 6: RuntimeError,
            7: MemoryError, 8: RuntimeError, 9: RuntimeError}


@pytest.mark.parametrize("code", range(1, 10))
def test_each_code_has_its_exception_which_is_a_builtin_too(code):
    error = errors.from_code(code, "node W[9]: why")
    assert isinstance(error, errors.Error) and isinstance(error, BUILTINS[code])
    assert error.code == code and str(error) == error.message == "node W[9]: why"
    assert type(error).__name__ == _lib.lib.PSCodeName(code).decode() + "Error"


def test_codes_of_later_versions_are_errors():
    assert isinstance(errors.from_code(99, "new"), errors.Error)


def test_a_failed_call_raises_with_the_text_of_the_library():
    with pytest.raises(errors.InvalidArgumentError, match="PSTensor"):
        _lib.lib.PSTensorWait(12345)


def boom():
    raise ZeroDivisionError("by me")


def test_what_a_callback_raises_is_the_cause_of_the_error_with_its_traceback():
    code = _callback.guarded(boom)
    assert code == errors.InternalError.code == _lib.lib.PSGetLastErrorCode()
    text = _lib.lib.PSGetLastError().decode()
    assert "ZeroDivisionError: by me (errors_test.py:" in text
    error = errors.from_code(code, "key 3: " + text)
    assert isinstance(error.__cause__, ZeroDivisionError)
    assert error.__cause__.__traceback__.tb_next.tb_frame.f_code.co_name == "boom"
    assert errors.from_code(code, "key 3: " + text).__cause__ is None  # once


@pytest.mark.parametrize("raised, code", [(ValueError("v"), 1), (TypeError("t"), 1), (KeyError("k"), 5),
                                          (TimeoutError("s"), 2), (errors.UnavailableError("u"), 3),
                                          (MemoryError(), 7), (OSError("o"), 9), (KeyboardInterrupt(), 4)])
def test_what_callbacks_raise_has_a_code(raised, code):
    def raising():
        raise raised

    assert _callback.guarded(raising) == code
    errors.from_code(code, _lib.lib.PSGetLastError().decode())


def test_an_interrupt_in_a_callback_comes_out_as_one():
    def interrupted():
        raise KeyboardInterrupt

    code = _callback.guarded(interrupted)
    assert isinstance(errors.from_code(code, _lib.lib.PSGetLastError().decode()), KeyboardInterrupt)


def test_a_callback_that_succeeds_says_nothing():
    assert _callback.guarded(lambda: 5) == 0
