"""Multiverso's interface: alone, in a LocalCluster, with both roles in each process, and with roles apart."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import run_job, run_python

import ps
from ps import multiverso as mv


def on_workers(workers: int, work: Any, sync: bool = False) -> list[Any]:
    def session(rank: int) -> Any:
        mv.init(sync=sync)
        try:
            return work(rank)
        finally:
            mv.shutdown()

    with ps.LocalCluster(2, workers) as cluster:
        return cluster.run(session)


@pytest.mark.parametrize("sync", [False, True])
def test_start_values_are_there_once(sync: bool) -> None:  # tbl-vec-18
    def work(_: int) -> Any:
        array = mv.ArrayTableHandler(4, init_value=7)
        matrix = mv.MatrixTableHandler(2, 3, init_value=np.full((2, 3), 7))
        return array.get().tolist(), matrix.get().tolist()

    assert on_workers(3, work, sync) == [([7] * 4, [[7] * 3] * 2)] * 3


@pytest.mark.parametrize("sync", [False, True])
def test_arrays_add_up(sync: bool) -> None:  # tbl-vec-04
    def work(_: int) -> Any:
        size = 1000
        table = mv.ArrayTableHandler(size)
        delta = np.arange(1, size + 1)
        for i in range(10):
            table.add(delta)
            table.add(delta, sync=True)
            mv.barrier()
            if sync:
                table.get()
            np.testing.assert_array_equal(table.get(), (i + 1) * 2 * delta * mv.workers_num())
            mv.barrier()
        return True

    assert on_workers(3, work, sync) == [True] * 3


@pytest.mark.parametrize("sync", [False, True])
def test_matrices_add_up_by_rows(sync: bool) -> None:  # tbl-vec-22
    def work(_: int) -> Any:
        rows, cols, some = 11, 10, [0, 1, 5, 10]
        table = mv.MatrixTableHandler(rows, cols)
        whole = np.arange(rows * cols).reshape(rows, cols)
        for count in range(1, 6):
            table.add(whole)
            table.add(whole[some], some)
            mv.barrier()
            want = whole * count * mv.workers_num()
            want[some] *= 2
            np.testing.assert_array_equal(table.get(), want)
            np.testing.assert_array_equal(table.get(some), want[some])
            mv.barrier()
        return True

    assert on_workers(2, work, sync) == [True] * 2


def test_sync_gives_everybody_the_same_values() -> None:
    def work(rank: int) -> Any:
        table = mv.ArrayTableHandler(1)
        seen = []
        for _ in range(5):
            table.add([rank + 1])
            seen.append(table.get().tolist())
        return seen

    assert on_workers(3, work, sync=True) == [[[6 * (i + 1)] for i in range(5)]] * 3


def test_who_ends_early_leaves_the_rounds() -> None:
    def work(rank: int) -> Any:
        table = mv.ArrayTableHandler(1)
        for _ in range(2 + rank):
            table.add([1])
            table.get()
        return float(table.get()[0]) if rank == 2 else None

    assert on_workers(3, work, sync=True)[2] == 3 + 3 + 2 + 1


def test_shared_variables_take_what_all_have_made() -> None:
    def work(rank: int) -> Any:
        variable = mv.mv_shared(np.zeros(3, np.float32))
        number = mv.mv_shared(0.0)
        variable.set_value(variable.get_value() + rank + 1)
        number.set_value(1.0)
        mv.sync_all_mv_shared_vars()
        mv.barrier()
        mv.sync_all_mv_shared_vars()
        return variable.get_value().tolist(), number.get_value()

    assert on_workers(2, work) == [([3, 3, 3], 2)] * 2


def test_a_process_by_itself_is_worker_and_server() -> None:
    with pytest.raises(ps.FailedPreconditionError, match="init"):
        mv.barrier()
    mv.init()
    assert (mv.workers_num(), mv.worker_id(), mv.server_id(), mv.is_master_worker()) == (1, 0, 0, True)
    table = mv.ArrayTableHandler(1)
    table.add([2.5])
    assert table.get().tolist() == [2.5]
    with pytest.raises(ps.FailedPreconditionError, match="already"):
        mv.init()
    with pytest.raises(ps.InvalidArgumentError, match="elements"):
        table.add([1, 2])
    mv.shutdown()
    with pytest.raises(ps.FailedPreconditionError):
        mv.shutdown()


PROGRAM = """if True:
    import numpy
    from ps import multiverso as mv
    mv.init(sync=True)
    table = mv.ArrayTableHandler(5, init_value=numpy.ones(5))
    table.add(numpy.arange(5) * (mv.worker_id() + 1))
    print("values", table.get().tolist(), "of", mv.workers_num(), mv.worker_id() == mv.server_id(), mv.server_id() >= 0)
    mv.barrier()
    mv.shutdown()
    """


def test_processes_of_both_roles() -> None:
    done = run_job(0, 0, PROGRAM, options=("--joint", "2"))
    assert done.stdout.count("values [1.0, 4.0, 7.0, 10.0, 13.0] of 2 True True") == 2


def test_servers_and_workers_apart() -> None:
    done = run_job(1, 3, PROGRAM)
    assert done.stdout.count("values [1.0, 7.0, 13.0, 19.0, 25.0] of 3 False False") == 3


def test_programs_may_end_without_shutdown() -> None:
    program = PROGRAM.replace("mv.shutdown()", "")
    run_python(program)
    assert run_job(0, 0, program, options=("--joint", "2")).stdout.count("values") == 2


def test_set_value_of_a_model_sets_each_of_its_arrays():
    run_python("""
import numpy, ps
from ps import multiverso as mv
mv.init()
model = {"w": numpy.zeros((2, 3), "f"), "rest": [numpy.zeros(2)]}
variable = mv.mv_shared(model)
variable.set_value({"w": numpy.ones((2, 3)), "rest": [[4, 5]]})
variable.mv_sync()
assert variable.get_value() is model and model["w"].tolist() == [[1] * 3] * 2 and model["rest"][0].tolist() == [4, 5]
for wrong in ({"w": 1}, {"w": 1, "rest": [1, 2]}, 3):
    try:
        variable.set_value(wrong)
    except ValueError as error:
        assert "value" in str(error)
    else:
        raise AssertionError(wrong)
mv.shutdown()
""")
