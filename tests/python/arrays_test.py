"""What is an array, and that its memory is used where it lies."""
import array
import gc
import weakref

import numpy
import pytest

import ps
from ps import _values, arrays, dtypes, tensor


def test_memory_of_numpy_is_used_where_it_lies():
    values = numpy.arange(6, dtype="float32").reshape(2, 3)
    view = arrays.writing(values)
    assert (view.pointer, view.shape, view.dtype) == (values.ctypes.data, (2, 3), dtypes.float32)
    assert view.owner is values


@pytest.mark.parametrize("dtype", [dtype for dtype in dtypes.ALL if dtype is not dtypes.bfloat16], ids=str)
def test_every_type_of_numpy_is_known(dtype):
    values = numpy.ones(3, dtype.name)
    assert arrays.reading(values).dtype is dtype
    assert dtypes.of(values.dtype) is dtype and dtypes.of(values.dtype.type) is dtype
    assert tensor.to_read(values).numpy().tolist() == values.tolist()


@pytest.mark.parametrize("made, dtype, shape", [
    (bytearray(4), dtypes.uint8, (4,)), (array.array("f", [1, 2]), dtypes.float32, (2,)),
    (array.array("l", [1]), dtypes.int64, (1,)), (memoryview(bytearray(8)).cast("d"), dtypes.float64, (1,)),
    (b"abc", dtypes.uint8, (3,)), (numpy.float32(3), dtypes.float32, ()), (array.array("i"), dtypes.int32, (0,))])
def test_buffers_are_arrays(made, dtype, shape):
    view = arrays.reading(made)
    assert (view.dtype, view.shape, view.size) == (dtype, shape, numpy.prod(shape))
    assert view.readonly == memoryview(made).readonly


def test_a_buffer_can_not_change_its_size_while_it_is_used():
    buffer = bytearray(16)
    view = arrays.writing(buffer)
    with pytest.raises(BufferError):
        buffer.extend(b"x")
    del view
    buffer.extend(b"x")


class WithInterface:
    """An array that has nothing but the interface."""

    def __init__(self, values):
        self.values = values
        self.__array_interface__ = values.__array_interface__


class WithDLPack:
    """An array that has nothing but DLPack."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, stream=None):
        return self.values.__dlpack__()

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


@pytest.mark.parametrize("kind", [WithInterface, WithDLPack])
def test_interface_and_dlpack_are_used_where_they_lie(kind):
    values = numpy.arange(6, dtype="int16").reshape(3, 2)
    view = arrays.writing(kind(values))
    assert (view.pointer, view.shape, view.dtype) == (values.ctypes.data, (3, 2), dtypes.int16)


@pytest.mark.parametrize("kind", [lambda values: values, memoryview, WithInterface, WithDLPack])
def test_what_has_gaps_is_copied_for_reading_and_refused_for_writing(kind):
    values = numpy.arange(12, dtype="float32").reshape(3, 4)[:, ::2]
    view = arrays.reading(kind(values))
    assert view.shape == (3, 2)
    assert tensor.of_view(view).numpy().tolist() == values.tolist()
    with pytest.raises(ValueError, match="out is not contiguous"):
        arrays.writing(kind(values))


def test_what_is_not_aligned_is_copied_for_reading_and_refused_for_writing():
    values = numpy.frombuffer(bytearray(b"\0" + numpy.float32([1, 2]).tobytes()), "float32", offset=1)
    assert tensor.to_read(values).numpy().tolist() == [1, 2]
    with pytest.raises(ValueError, match="aligned"):
        arrays.writing(values)


@pytest.mark.parametrize("made", [b"abc", numpy.broadcast_to(numpy.float32(1), (1,)),
                                  memoryview(bytearray(3)).toreadonly()])
def test_what_is_read_only_is_not_written(made):
    with pytest.raises(ValueError, match="read-only"):
        arrays.writing(made)


@pytest.mark.parametrize("made", [[1, 2], "abc", 5, 1.5, None, {"a": 1}, object()])
def test_nothing_else_is_an_array(made):
    with pytest.raises(TypeError, match="value is no array"):
        arrays.reading(made)
    assert not arrays.is_array(made)


@pytest.mark.parametrize("made", [numpy.array(["a"]), numpy.ones(2, ">f4"), numpy.ones(2, "complex64"),
                                  numpy.array([None]), numpy.zeros(1, "datetime64[s]")])
def test_types_that_there_are_not_are_named(made):
    with pytest.raises(TypeError, match="which is none of float32"):
        arrays.reading(made)


def test_a_tensor_keeps_the_memory_of_its_array():
    values = numpy.ones(1000)
    gone = weakref.ref(values)
    held = tensor.to_write(values)
    del values
    gc.collect()
    assert gone() is not None
    held.close()
    del held
    gc.collect()
    assert gone() is None


def test_numpy_shows_the_memory_of_a_tensor_and_keeps_it():
    made = ps.zeros((2, 3))
    shown = numpy.asarray(made)
    shown[1, 2] = 5
    assert made.numpy().tolist() == [[0, 0, 0], [0, 0, 5]]
    del made
    gc.collect()
    assert shown[1, 2] == 5


def test_dlpack_goes_out_and_in_without_a_copy():
    made = ps.array(numpy.arange(6, dtype="int64").reshape(2, 3))
    shown = numpy.from_dlpack(made)
    del made
    gc.collect()
    assert shown.tolist() == [[0, 1, 2], [3, 4, 5]]
    values = numpy.arange(4.0)
    taken = ps.from_dlpack(values)
    values[0] = 9
    del values, shown
    gc.collect()
    assert taken.numpy().tolist() == [9, 1, 2, 3]
    assert taken.dtype is ps.float64


def test_a_capsule_that_nobody_takes_gives_its_memory_back():
    taken = ps.zeros(1000)
    for _ in range(1000):
        taken.__dlpack__()
    with pytest.raises(ValueError, match="dltensor"):
        capsule = taken.__dlpack__()
        from ps import _dlpack
        _dlpack.consume(capsule, lambda *_: 0, None)
        _dlpack.managed(capsule)


def test_row_sparse_tensors_show_their_rows():
    rows = ps.row_sparse(numpy.ones((2, 3), "float32"), [1, 4], (5, 3))
    assert rows.row_sparse and rows.shape == (5, 3) and len(rows) == 5
    assert rows.ids.numpy().tolist() == [1, 4]
    assert rows.values.shape == (2, 3)
    assert rows.numpy().sum(axis=1).tolist() == [0, 3, 0, 0, 3]
    with pytest.raises(ps.InvalidArgumentError, match="ascend"):
        ps.row_sparse(numpy.ones((2, 3), "float32"), [4, 1], (5, 3))
    assert ps.row_sparse_zeros((5, 3)).ids.shape == (0,)


def test_a_closed_handle_says_so():
    made = ps.zeros(3)
    made.close()
    made.close()
    with pytest.raises(ps.FailedPreconditionError, match="Tensor is closed"):
        made.numpy()
    assert repr(made) == "<ps.Tensor closed>"


@pytest.mark.parametrize("said", ["cpu:x", "tpu", ""])
def test_devices_that_there_are_not_are_named(said):
    with pytest.raises(ValueError, match="no device"):
        ps.zeros(1, device=said)


class OnDevice:
    """What a CUDA array says of itself."""

    def __init__(self, **more):
        self.__cuda_array_interface__ = {"shape": (2, 3), "typestr": "<f4", "data": (0x7f0000000000, False),
                                         "version": 3, **more}


class Driver:
    """Plays libcuda."""

    def __init__(self, result=0):
        self.result, self.waited = result, []

    def cuPointerGetAttribute(self, device, attribute, pointer):
        assert (attribute, pointer) == (9, 0x7f0000000000)
        device._obj.value = 1
        return self.result

    def cuStreamSynchronize(self, stream):
        self.waited.append(stream)
        return self.result


@pytest.mark.parametrize("said, waited", [({}, [1]), ({"stream": 7}, [7]), ({"stream": None}, [])])
def test_arrays_on_a_gpu_are_waited_for_and_say_which_one(monkeypatch, said, waited):
    driver = Driver()
    monkeypatch.setattr(arrays._cuda, "_driver", lambda: driver)
    view = arrays.writing(OnDevice(**said))
    assert (view.device_kind, view.device_index, view.pointer, view.shape) == (2, 1, 0x7f0000000000, (2, 3))
    assert driver.waited == waited


@pytest.mark.parametrize("said, error", [({"strides": (24, 8)}, "on a device is not contiguous"),
                                         ({"typestr": "<c8"}, "typestr '<c8'")])
def test_arrays_on_a_gpu_that_can_not_be_used_are_refused(monkeypatch, said, error):
    monkeypatch.setattr(arrays._cuda, "_driver", Driver)
    with pytest.raises((ValueError, TypeError), match=error):
        arrays.reading(OnDevice(**said))


def test_what_the_driver_does_not_know_is_said(monkeypatch):
    monkeypatch.setattr(arrays._cuda, "_driver", lambda: Driver(result=1))
    with pytest.raises(ValueError, match="not memory of a CUDA device"):
        arrays.reading(OnDevice())


def test_memory_that_is_shown_stays_when_the_tensor_is_closed():
    with ps.zeros(3) as made:
        shown = numpy.asarray(made)
    assert made.closed
    del made
    gc.collect()
    others = [ps.array(numpy.full(3, 7, "f")) for _ in range(8)]  # would lie there
    assert shown.tolist() == [0, 0, 0] and len(others) == 8


def test_dlpack_keeps_memory_that_the_library_does_not_own():
    values, ids = numpy.ones((1, 2), "f"), numpy.array([3])
    there = weakref.ref(values)
    shown = numpy.from_dlpack(ps.row_sparse(values, ids, (4, 2)).values)
    del values
    gc.collect()
    assert there() is not None and shown.tolist() == [[1, 1]]
    del shown
    gc.collect()
    assert there() is None


def test_an_interrupt_while_dlpack_is_taken_leaves_one_owner(monkeypatch):
    taken = []
    take = tensor.lib.PSTensorFromDLPack

    def interrupted(address, result):
        take(address, result)
        taken.append(tensor.Tensor(result._obj.value))
        raise KeyboardInterrupt

    values = numpy.ones(3, "f")
    monkeypatch.setattr(tensor.lib, "PSTensorFromDLPack", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ps.from_dlpack(values)
    gc.collect()
    assert taken[0].numpy().tolist() == [1, 1, 1]


def test_ids_of_tables_on_a_gpu_are_refused(monkeypatch):
    monkeypatch.setattr(arrays._cuda, "_driver", Driver)
    with pytest.raises(ps.InvalidArgumentError, match="keys is on a device"):
        _values.Ids(OnDevice(shape=(6,), typestr="<i8"), "keys")


def test_dlpack_goes_before_the_cuda_interface():
    class Both(OnDevice):
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self):
            return numpy.ones(2, "f").__dlpack__()

    assert arrays.reading(Both()).shape == (2,)
    assert not hasattr(ps.zeros(2), "__cuda_array_interface__")
