"""Collectives among the workers of a LocalCluster, of a job, and of a process that is alone."""
from __future__ import annotations

import array
import threading
import time
from typing import Any, Callable

import numpy as np
import pytest
from conftest import TIME_SCALE, run_job

import ps
from ps import collective


def on_workers(workers: int, work: Callable[[int], Any], **settings: Any) -> list[Any]:
    with ps.LocalCluster(1, workers, settings) as cluster:
        return cluster.run(work)


@pytest.mark.parametrize("op, want", [("sum", [6, 60]), ("prod", [6, 6000]), ("min", [1, 10]), ("max", [3, 30])])
def test_allreduce_is_in_place(op: str, want: list[int]) -> None:
    def work(rank: int) -> Any:
        values = np.array([rank + 1, 10 * (rank + 1)], np.float64)
        assert ps.allreduce(values, op) is values
        return values.tolist()

    assert on_workers(3, work) == [want] * 3


@pytest.mark.parametrize("size", [1, 7, 300_001])
def test_all_sizes_have_the_same_bits_on_all_workers(size: int) -> None:
    def work(rank: int) -> Any:
        values = np.random.default_rng(rank).standard_normal(size).astype(np.float32)
        return ps.allreduce(values).tobytes()

    results = on_workers(4, work)
    want = sum(np.random.default_rng(rank).standard_normal(size).astype(np.float32).astype(np.float64)
               for rank in range(4))
    np.testing.assert_allclose(np.frombuffer(results[0], np.float32), want, rtol=1e-4, atol=1e-5)
    assert len(set(results)) == 1


def test_buffers_and_other_types_will_do() -> None:
    def work(rank: int) -> Any:
        return ps.allreduce(array.array("q", [rank, 1])).tolist(), ps.allreduce(np.ones(2, np.float16)).tolist()

    assert on_workers(2, work) == [([1, 2], [2, 2])] * 2


def test_the_named_ones_go_in_any_order() -> None:
    def work(rank: int) -> Any:
        names = ["a", "b", "c"] if rank == 0 else ["c", "a", "b"]
        tickets = {name: ps.allreduce_async(np.array([ord(name) + rank], np.int32), name) for name in names}
        return [int(tickets[name].wait()[0]) for name in "abc"]

    assert on_workers(2, work) == [[2 * ord(name) + 1 for name in "abc"]] * 2


def test_broadcast_gives_what_the_root_has() -> None:
    def work(rank: int) -> Any:
        return ps.broadcast(np.full(3, rank, np.int64), root=2).tolist()

    assert on_workers(3, work) == [[2, 2, 2]] * 3


def test_reduce_scatter_and_allgather_are_allreduce() -> None:
    def work(rank: int) -> Any:
        values = np.arange(10, dtype=np.float32) * (rank + 1)
        part = ps.reduce_scatter(values)
        whole = np.empty(10, np.float32)
        assert ps.allgather(part, out=whole) is whole
        return len(part), whole.tolist(), ps.allgather(np.full((2, 2), rank, np.int32)).tolist()

    results = on_workers(3, work)
    assert [result[0] for result in results] == [3, 3, 4]
    assert all(result[1] == [6 * i for i in range(10)] for result in results)
    assert all(result[2] == [[[rank] * 2] * 2 for rank in range(3)] for result in results)


def test_ranks_and_barriers() -> None:
    came: list[int] = []

    def work(rank: int) -> Any:
        came.append(rank)
        collective.barrier()
        return len(came), collective.rank(), collective.size()

    assert on_workers(3, work) == [(3, rank, 3) for rank in range(3)]


def test_who_means_something_else_is_named_on_all_workers() -> None:
    errors: list[str] = []

    def work(rank: int) -> None:
        with pytest.raises(ps.InvalidArgumentError) as raised:
            ps.allreduce(np.zeros(3 + (rank == 1), np.float32))
        errors.append(str(raised.value))

    on_workers(2, work)
    assert all("3" in error and "4" in error for error in errors), errors


def test_who_does_not_come_is_named() -> None:
    begin = time.monotonic()

    def work(rank: int) -> None:
        if rank == 0:
            with pytest.raises(ps.DeadlineExceededError, match="1"):
                ps.allreduce(np.zeros(3, np.float32))

    on_workers(2, work, PS_BARRIER_TIMEOUT=1)
    assert time.monotonic() - begin < 20 * TIME_SCALE


def test_what_can_not_be_is_refused_before_the_others_hear_of_it() -> None:
    with pytest.raises(ps.InvalidArgumentError, match="'mean'.*sum, prod, min, max"):
        ps.allreduce(np.zeros(3), "mean")
    with pytest.raises(TypeError, match="no array"):
        ps.allreduce([1, 2])
    with pytest.raises(ValueError, match="contiguous"):
        ps.allreduce(np.zeros(6)[::2])

    def work(rank: int) -> None:
        ticket = ps.allreduce_async(np.ones(1), "once")
        if rank == 0:
            with pytest.raises(ps.AlreadyExistsError, match="once"):
                ps.allreduce_async(np.ones(1), "once")
        else:
            began.wait()
        began.set()
        ticket.wait()

    began = threading.Event()

    def in_order(rank: int) -> None:
        # Worker 1 begins last, so that the name of worker 0 is under way for sure.
        if rank == 1:
            began.wait()
        work(rank)

    on_workers(2, in_order)


def test_a_process_by_itself_is_a_group_of_one() -> None:
    values = np.array([1.0, 2.0])
    assert ps.allreduce(values).tolist() == [1, 2]
    assert ps.allreduce_async(values, "name").wait().tolist() == [1, 2]
    assert ps.broadcast(values).tolist() == [1, 2]
    assert ps.reduce_scatter(values).tolist() == [1, 2]
    assert ps.allgather(values).tolist() == [[1, 2]]
    assert (collective.rank(), collective.size()) == (0, 1)
    collective.barrier()
    with pytest.raises(ps.InvalidArgumentError, match="no worker 3"):
        ps.broadcast(values, root=3)


def test_a_job_needs_no_servers() -> None:
    done = run_job(0, 3, """if True:
        import numpy, ps
        print("sum", ps.allreduce(numpy.array([1.0 + ps.collective.rank()])).tolist())
        """)
    assert done.stdout.count("sum [6.0]") == 3
