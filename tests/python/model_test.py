"""SharedModel: the vectors of its face (sm-vec-*), callbacks, and what fails."""
from __future__ import annotations

import gc
import threading
import time
from typing import Any

import numpy as np
import pytest
from conftest import TIME_SCALE, run_job

import ps
from ps.model import Device

DEVICES = [3, 7]


def floats(*values: float) -> Any:
    return np.array(values, np.float32)


def sums(devices: list[int], **parameters: Any) -> list[Any]:
    """The program of local_sum: row 0 is 1, row 1 the device + 1."""
    with ps.SharedModel("local", devices, **parameters) as model:
        def work(device: Device) -> Any:
            data = [np.array([[1] * 3, [device.number + 1] * 3], np.float32) for _ in range(2)]
            out = [np.empty((2, 3), np.float32) for _ in range(2)]
            for key in (0, 1):
                device.init_key(key, (2, 3))
                device.push(data[key], key)
                device.pull(out[key], key)
            for key in (0, 1):
                device.pull_wait(key)
            return [one.tolist() for one in out]

        return model.run(work)


@pytest.mark.parametrize("devices, want", [([0, 1, 2], [3, 6]), ([0, 1, 2, 3], [4, 10])])
def test_devices_add_up(devices: list[int], want: list[float]) -> None:  # sm-vec-01, 02
    assert sums(devices) == [[[[want[0]] * 3, [want[1]] * 3]] * 2] * len(devices)


@pytest.mark.parametrize("push_thread", ["one", "ndev"])
@pytest.mark.parametrize("pull_thread", ["one", "ndev"])
def test_threads_change_nothing(push_thread: str, pull_thread: str) -> None:  # sm-vec-08
    assert sums([0, 1, 2], push_thread=push_thread, pull_thread=pull_thread)[0][0] == [[3] * 3, [6] * 3]


def test_rounds_begin_anew() -> None:  # sm-vec-03, 05
    with ps.SharedModel("local", DEVICES) as model:
        def work(device: Device) -> Any:
            device.init_key(0, (1,))
            own = floats(1 if device.number == 3 else 2)
            results = []
            for scale in (1, 10):
                device.push(own * scale, 0)
                results.append(device.pull(np.empty(1, np.float32), 0).wait().tolist())
            return results

        assert model.run(work) == [[[3], [30]]] * 2


def test_callbacks_run_once_each_before_the_pull_is_done() -> None:  # sm-vec-07
    calls: list[tuple[int, int, float]] = []
    with ps.SharedModel("local", DEVICES) as model:
        def work(device: Device) -> None:
            device.init_key(0, (1,))
            out = np.empty(1, np.float32)
            device.push(floats(1), 0)
            device.pull(out, 0, callback=lambda stream: calls.append((device.number, stream, float(out[0]))))
            device.pull_wait(0)
            assert (device.number, 0, 2.0) in calls

        model.run(work)
    assert sorted(calls) == [(3, 0, 2.0), (7, 0, 2.0)]


def test_what_a_callback_raises_is_the_pulls_error() -> None:
    def broken(_: int) -> None:
        raise ZeroDivisionError("in the callback")

    with ps.SharedModel("local", [0]) as model:
        model.init_key(0, (1,), 0)
        value = floats(1)
        model.push(value, 0, 0)
        with pytest.raises(ps.InternalError, match="in the callback") as raised:
            model.pull(np.empty(1, np.float32), 0, 0, callback=broken).wait()
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


def test_rules_make_the_weights() -> None:  # sm-vec-10, but for the start value of a rule of the program's own
    with ps.SharedModel("local", DEVICES, updater="sgd lr=0.25", update_on_server=1) as model:
        def work(device: Device) -> Any:
            device.init_key(0, (1,))
            device.push(floats(1 if device.number == 3 else 2), 0)
            return device.pull(np.empty(1, np.float32), 0).wait().tolist()

        assert model.run(work) == [[-0.75]] * 2


class Descent(ps.ModelUpdater):
    """w -= lr g, beginning with 10."""

    made: list["Descent"] = []

    def __init__(self, dtype: ps.dtypes.DType) -> None:
        self.dtype = dtype
        self.parameters: dict[str, str] = {}
        self.calls: list[Any] = []
        Descent.made.append(self)

    def set_param(self, name: str, value: str) -> None:
        self.parameters[name] = value

    def init_updater(self, rank: int, argv: Any) -> None:
        self.calls.append(("init_updater", rank))

    def init_model(self, key: int, weight: Any) -> None:
        self.calls.append(("init_model", key))
        weight[:] = 10

    def update(self, key: int, weight: Any, delta: Any) -> None:
        if delta[0] == 13:
            raise ZeroDivisionError("13 is no gradient")
        assert not delta.flags.writeable
        weight -= float(self.parameters["lr"]) * delta


def test_rules_of_the_program_itself() -> None:  # sm-vec-10, 11, 12
    ps.register_model_updater("descent", Descent)
    ps.register_model_updater("descent", Descent)
    with pytest.raises(ps.AlreadyExistsError, match="descent"):
        ps.register_model_updater("descent", lambda dtype: Descent(dtype))
    Descent.made.clear()
    with ps.SharedModel("local", updater="descent", lr=0.25, update_on_server=1) as model:
        model.set_param("msg:x", 1)
        model.init(DEVICES)

        def work(device: Device) -> Any:
            device.init_key(0, (1,))
            device.push(floats(1 if device.number == 3 else 2), 0)
            return device.pull(np.empty(1, np.float32), 0).wait().tolist()

        assert model.run(work) == [[9.25]] * 2
        model.init_key(0, (1,), 3)
        [rule] = Descent.made
        assert rule.dtype is ps.float32 and rule.calls.count(("init_model", 0)) == 1
        assert rule.parameters == {"lr": "0.25", "update_on_server": "1"}

        def break_it(device: Device) -> None:
            device.push(floats(6.5), 0)
            with pytest.raises(ps.InternalError, match="13 is no gradient"):
                device.pull(np.empty(1, np.float32), 0).wait()

        model.run(break_it)


def test_weights_can_be_checked(capfd: Any) -> None:  # sm-vec-14
    with ps.SharedModel("local", [0], updater="sgd lr=1", test_on_server=1) as model:
        model.init_key(0, (1,), 0)
        gradient = floats(3)
        model.push(gradient, 0, 0)
        assert model.pull(np.empty(1, np.float32), 0, 0).wait().tolist() == [3]
        model.check_weight(floats(-3), 0, 0)
        with pytest.raises(ps.FailedPreconditionError):
            model.check_weight(floats(-2), 0, 0)
        model.set_weight(floats(-2), 0, 0)
        model.check_weight(floats(-2), 0, 0)
    assert "PSLocal:key=0,dev=0" in capfd.readouterr().err


@pytest.mark.parametrize("push_op, want", [("mean", [[1.5]]), ("gather", [[1], [2]])])
def test_keys_have_their_merge(push_op: str, want: list[Any]) -> None:
    with ps.SharedModel("local") as model:
        model.set_param("push_op[4]", push_op)
        model.init(DEVICES)

        def work(device: Device) -> Any:
            device.init_key(4, (1, 1))
            device.push(np.array([[1 if device.number == 3 else 2]], np.float32), 4)
            return device.pull(np.empty((len(want), 1), np.float32), 4).wait().tolist()

        assert model.run(work) == [want] * 2


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32"])
def test_keys_have_any_type(dtype: str) -> None:  # sm-vec-25
    with ps.SharedModel("local", DEVICES) as model:
        def work(device: Device) -> Any:
            device.init_key(0, (2,), dtype)
            device.push(np.array([1, 2], dtype), 0)
            return device.pull(np.empty(2, dtype), 0).wait().tolist()

        assert model.run(work) == [[2, 4]] * 2


def test_what_can_not_be_is_refused_by_name() -> None:  # sm-vec-17, 18, 20, 21, 22
    with ps.SharedModel("local", DEVICES) as model:
        model.init_key(0, (2,), 3)
        with pytest.raises(ps.Error, match="0"):
            model.init_key(0, (3,), 7)
        with pytest.raises(ps.Error, match="5"):
            model.push(floats(1, 2), 0, 5)
        with pytest.raises(ps.Error, match="9"):
            model.push(floats(1, 2), 9, 3)
        with pytest.raises(ps.Error):
            model.push(floats(1, 2, 3), 0, 3)
        model.pull_wait(0, 3)
        model.pull(np.empty(2, np.float32), 0, 3)
        with pytest.raises(ps.Error, match="3"):
            model.pull(np.empty(2, np.float32), 0, 3)
        with pytest.raises(ps.Error):
            model.init([0])
    with pytest.raises(ps.InvalidArgumentError, match="local.*dist.*allreduce"):
        ps.SharedModel("everywhere")
    with pytest.raises(ps.InvalidArgumentError):
        ps.SharedModel("local", [])
    with pytest.raises(ps.InvalidArgumentError):
        ps.SharedModel("local", [-1])
    with pytest.raises(ps.InvalidArgumentError, match="one|ndev"):
        ps.SharedModel("local", [0], push_thread="many")


def test_a_device_that_fails_is_named_to_the_others() -> None:
    begin = time.monotonic()
    told: list[str] = []
    with pytest.raises(ZeroDivisionError, match="of device 7"):
        with ps.SharedModel("local", DEVICES) as model:
            def work(device: Device) -> None:
                device.init_key(0, (1,))
                if device.number == 7:
                    raise ZeroDivisionError("of device 7")
                try:
                    device.push(floats(1), 0)
                    device.pull(np.empty(1, np.float32), 0).wait()
                except ps.Error as error:
                    told.append(str(error))

            model.run(work)
    assert len(told) == 1 and "ZeroDivisionError: of device 7" in told[0]
    assert time.monotonic() - begin < 20 * TIME_SCALE


def test_an_end_with_pulls_under_way_returns_at_once() -> None:  # sm-vec-31
    calls: list[int] = []
    begin = time.monotonic()
    with ps.SharedModel("local", DEVICES) as model:
        model.init_key(0, (1000,), 3)
        model.push(np.ones(1000, np.float32), 0, 3)
        ticket = model.pull(np.empty(1000, np.float32), 0, 3, callback=calls.append)
    with pytest.raises(ps.CancelledError):
        ticket.wait()
    with pytest.raises(ps.FailedPreconditionError, match="closed"):
        model.push(floats(1), 0, 3)
    assert calls == [] and time.monotonic() - begin < 20 * TIME_SCALE


def test_arrays_that_nobody_holds_live_as_long_as_they_are_used() -> None:
    with ps.SharedModel("local", [0], updater="sgd lr=1", update_on_server=1) as model:
        model.init_key(0, (100_000,), 0)
        for _ in range(50):
            model.push(np.ones(100_000, np.float32), 0, 0)
            gc.collect()
        assert (model.pull(np.empty(100_000, np.float32), 0, 0).wait() == -50).all()


def test_processes_sum_through_servers_and_by_allreduce() -> None:
    def work(rank: int) -> Any:
        results = []
        for kind, parameters in (("dist", {"mode": "bsp"}), ("allreduce", {})):
            with ps.SharedModel(kind, [0, 1], name=kind, **parameters) as model:
                def on_device(device: Device) -> Any:
                    device.init_key(0, (2,))
                    device.push(floats(1 + rank, 10), 0)
                    return device.pull(np.empty(2, np.float32), 0).wait().tolist()

                results.append(model.run(on_device))
        return results

    with ps.LocalCluster(2, 2) as cluster:
        assert cluster.run(work) == [[[[6, 40]] * 2] * 2] * 2  # sm-vec-28, and the same through servers


def test_rules_of_the_program_run_at_the_servers() -> None:
    ps.register_model_updater("descent", Descent)
    Descent.made.clear()

    def work(rank: int) -> Any:
        with ps.SharedModel("dist", [0], updater="descent", lr=0.5, mode="bsp") as model:
            model.init_key(0, (2,), 0)
            model.push(floats(rank + 1, 4), 0, 0)
            return model.pull(np.empty(2, np.float32), 0, 0).wait().tolist()

    with ps.LocalCluster(1, 2) as cluster:
        assert cluster.run(work) == [[8.5, 6]] * 2
    [rule] = Descent.made
    assert rule.calls == [("init_updater", 0), ("init_model", 0)]


def test_dist_async_sum_in_processes() -> None:  # sm-vec-26, with a rule of the library
    done = run_job(1, 3, """if True:
        import numpy, ps
        with ps.SharedModel("dist", [1, 2], updater="add") as model:
            def work(device):
                out = [numpy.full((2, 3), -1, "float32") for _ in range(2)]
                data = [numpy.zeros((2, 3), "float32"), numpy.full((2, 3), device.number, "float32")]
                for key in (0, 1):
                    device.init_key(key, (2, 3))
                    device.push(data[key], key)
                return [device.pull(out[key], key).wait()[1, 2] for key in (0, 1)]
            both = model.run(work)
            assert both[0] == both[1], both
            assert both[0][0] == 0 and both[0][1] in (3, 6, 9), both
            ps.barrier()
            final = numpy.empty((2, 3), "float32")
            for device in (1, 2):
                model.push(numpy.zeros((2, 3), "float32"), 1, device)
            print("sum", model.pull(final, 1, 1).wait()[1, 2])
        """)
    assert done.stdout.count("sum 9.0") == 3


def test_calls_of_many_threads() -> None:
    with ps.SharedModel("local", list(range(4))) as model:
        done: list[int] = []

        def work(device: Device) -> None:
            for key in range(8):
                device.init_key(key, (16,))
            for _ in range(20):
                for key in range(8):
                    device.push(np.full(16, device.number, np.float32), key, priority=-key)
                outs = [device.pull(np.empty(16, np.float32), key, callback=done.append) for key in range(8)]
                assert all((out.wait() == 6).all() for out in outs)

        model.run(work)
    assert len(done) == 4 * 20 * 8
    assert threading.active_count() < 20


def test_numbers_of_more_than_32_bits_are_refused() -> None:
    with ps.SharedModel("local", [0]) as model:
        with pytest.raises(ps.InvalidArgumentError, match=f"key={2**32}"):
            model.init_key(2**32, (1,), 0)
        model.init_key(0, (1,), 0)
        with pytest.raises(ps.InvalidArgumentError, match=f"device={2**32}"):
            model.push(floats(1), 0, 2**32)
        with pytest.raises(ps.InvalidArgumentError, match=f"device={2**32}"):
            model.fail(2**32, "why")
    with pytest.raises(ps.InvalidArgumentError, match=f"device={2**32}"):
        ps.SharedModel("local", [2**32])
