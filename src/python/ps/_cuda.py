"""What an array on a GPU does not say by itself: where it lies, and whether its contents are there.

Through the driver (libcuda), which is there wherever such arrays are; nothing here is used without one.
"""
from __future__ import annotations

import ctypes
import functools
from typing import Any

LEGACY_STREAM = 1  # the one that kernels run on where nobody has said another one
_DEVICE_ORDINAL = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL


@functools.lru_cache(maxsize=None)
def _driver() -> Any:
    driver = ctypes.CDLL("libcuda.so.1")
    driver.cuPointerGetAttribute.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64)
    driver.cuStreamSynchronize.argtypes = (ctypes.c_void_p,)
    return driver


def device_of(pointer: int) -> int:
    """The number of the device whose memory this is."""
    device = ctypes.c_int()
    result = _driver().cuPointerGetAttribute(ctypes.byref(device), _DEVICE_ORDINAL, pointer)
    if result != 0:
        raise ValueError(f"{pointer:#x} is not memory of a CUDA device (CUDA error {result})")
    return device.value


def wait_for(stream: int) -> None:
    """Returns when all that was begun on a stream is done. 1: the default stream, 2: that of this thread."""
    result = _driver().cuStreamSynchronize(stream)
    if result != 0:
        raise RuntimeError(f"waiting for a stream of an array failed (CUDA error {result})")
