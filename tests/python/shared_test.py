"""ps.shared: values that every worker changes."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ps


def on_workers(workers: int, work: Any) -> list[Any]:
    with ps.LocalCluster(2, workers) as cluster:
        return cluster.run(work)


@pytest.mark.parametrize("mode", ["asp", "bsp"])
def test_all_begin_with_the_value_of_the_first(mode: str) -> None:
    def work(rank: int) -> Any:
        return ps.shared(np.full(3, 7.0 + rank, np.float32), mode=mode).value.tolist()

    assert on_workers(3, work) == [[7, 7, 7]] * 3


@pytest.mark.parametrize("mode", ["asp", "bsp"])
def test_syncs_add_up_what_all_have_changed(mode: str) -> None:
    def work(rank: int) -> Any:
        value = np.zeros(2, np.float32)
        shared = ps.shared(value, mode=mode)
        for _ in range(3):
            value[rank] += 1
            shared.sync()
        ps.Store().barrier()
        return shared.pull().tolist()

    assert on_workers(2, work) == [[3, 3]] * 2


def test_what_changed_elsewhere_is_not_sent_again() -> None:
    def work(rank: int) -> Any:
        shared = ps.shared(np.zeros(1, np.float64))
        shared.value[0] += rank + 1
        shared.sync()
        ps.Store().barrier()
        for _ in range(5):
            shared.sync()
        return shared.value.tolist()

    assert on_workers(3, work) == [[6]] * 3


def test_whole_models_are_shared() -> None:
    def work(rank: int) -> Any:
        model = {"layers": [np.zeros((2, 3), np.float32), (np.zeros(2, np.float64), np.zeros((), np.int64))],
                 "bias": np.zeros(0, np.float32), "gaps": np.zeros((4, 2), np.float32)[::2]}
        shared = ps.shared(model, name="model")
        model["layers"][0][1] += 1
        model["layers"][1][0][rank] += 0.5
        model["layers"][1][1][...] += 10
        model["gaps"][1] -= 1
        shared.sync()
        ps.Store().barrier()
        assert shared.pull() is model
        return (model["layers"][0].tolist(), model["layers"][1][0].tolist(), int(model["layers"][1][1]),
                model["gaps"].tolist())

    assert on_workers(2, work) == [([[0, 0, 0], [2, 2, 2]], [0.5, 0.5], 20, [[0, 0], [-2, -2]])] * 2


def test_numbers_are_replaced() -> None:
    def work(_: int) -> Any:
        with ps.shared(5) as steps, ps.shared(0.5) as rate:
            steps.value += 2
            rate.value *= 2
            steps.sync()
            rate.sync()
            ps.Store().barrier()
            return steps.pull(), rate.pull()

    assert on_workers(2, work) == [(9, 1.5)] * 2


def test_a_process_by_itself_shares_with_itself() -> None:
    shared = ps.shared(np.arange(3.0))
    shared.value += 1
    assert shared.sync().tolist() == [1, 2, 3]
    ps.finalize()


def test_what_can_not_be_shared_is_named() -> None:
    array = np.zeros(2)
    with pytest.raises(TypeError, match=r"value\['a'\]\[1\] is no NumPy array, but str"):
        ps.shared({"a": [array, "text"]})
    with pytest.raises(ValueError, match=r"value\[1\] is an array that was there before"):
        ps.shared([array, array])
    frozen = np.zeros(2)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="value is read-only"):
        ps.shared(frozen)
    with pytest.raises(TypeError, match="no type of elements"):
        ps.shared(np.zeros(2, np.complex64))


def test_workers_that_share_other_things_are_told() -> None:
    def work(rank: int) -> Any:
        ps.shared(np.zeros(2 + rank))

    with pytest.raises(ps.Error):
        on_workers(2, work)


def test_what_was_added_before_a_read_failed_is_not_added_again(monkeypatch: pytest.MonkeyPatch) -> None:
    value = np.zeros(2, np.float32)
    shared = ps.shared(value, name="once", store=ps.Store.local()[0])
    value += 1

    def fails(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ps.ArrayTable, "get", fails)
        with pytest.raises(KeyboardInterrupt):
            shared.sync()
    value += 1
    assert shared.sync().tolist() == [2, 2]
