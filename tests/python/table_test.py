"""Tables and stores: what the Python side of them says and takes."""
from __future__ import annotations

import array
import asyncio
import gc
import os
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest
from conftest import environment, run_job, run_python

import ps
from ps import table as tables


@pytest.fixture(name="store")
def a_store() -> Any:
    with ps.Store.local(servers=2)[0] as store:
        yield store


def test_arrays_take_lists_arrays_and_buffers(store: ps.Store) -> None:
    table = ps.ArrayTable(3, name="a", store=store)
    table.add([1, 2, 3])
    table.add(np.array([1, 2, 3], np.float64))
    table.add(array.array("f", [1, 2, 3]))
    table.add(np.arange(6, dtype=np.float32)[::2])  # with gaps
    np.testing.assert_array_equal(table.get(), [3, 8, 13])
    table.set(range(3))
    np.testing.assert_array_equal(table.get(), [0, 1, 2])


def test_results_lie_where_the_caller_says(store: ps.Store) -> None:
    table = ps.MatrixTable(4, 2, name="m", store=store, init=5)
    out = np.zeros((4, 2), np.float32)
    assert table.get(out=out) is out and (out == 5).all()
    buffer = bytearray(16)
    assert table.get([3, 0], out=memoryview(buffer).cast("f")).tolist() == [5, 5, 5, 5]
    ticket = table.get_async([1], out=out[:1])
    assert (ticket.wait() == 5).all()


def test_outs_that_can_not_be_filled_are_refused(store: ps.Store) -> None:
    table = ps.ArrayTable(4, name="a", store=store)
    with pytest.raises(TypeError, match="float64.*float32"):
        table.get(out=np.zeros(4))
    with pytest.raises(ValueError, match="contiguous"):
        table.get(out=np.zeros(8, np.float32)[::2])
    with pytest.raises(ValueError, match="read-only"):
        table.get(out=memoryview(bytes(16)).cast("f"))
    with pytest.raises(TypeError, match="no array"):
        table.get(out=[0, 0, 0, 0])
    with pytest.raises(ps.InvalidArgumentError, match="'a'.*3 elements"):
        table.get(out=np.zeros(3, np.float32))


def test_rows_come_in_any_order_and_may_repeat(store: ps.Store) -> None:
    table = ps.MatrixTable(6, 2, name="m", store=store)
    table.add([[1, 2], [3, 4], [10, 20]], [5, 1, 5])
    np.testing.assert_array_equal(table.get([1, 5, 1]), [[3, 4], [11, 22], [3, 4]])
    for ids in (np.array([5], np.int32), np.array([5], np.uint64), array.array("q", [5]), (5,), [np.int64(5)]):
        np.testing.assert_array_equal(table.get(ids), [[11, 22]])
    for one in (5, np.int16(5)):
        np.testing.assert_array_equal(table.get(one), [11, 22])
    assert table.get([]).shape == (0, 2)
    table.erase([5])
    np.testing.assert_array_equal(table.get(5), [0, 0])


def test_ids_that_are_none_are_refused(store: ps.Store) -> None:
    table = ps.MatrixTable(6, 2, name="m", store=store)
    with pytest.raises(ps.InvalidArgumentError, match="'m'.*no row 6"):
        table.get([6])
    with pytest.raises(TypeError, match="row_ids: 1.5"):
        table.get([1.5])
    with pytest.raises(TypeError, match="row_ids are of float32"):
        table.get(np.ones(1, np.float32))
    with pytest.raises(ValueError, match="shape"):
        table.get(np.zeros((1, 1), np.int64))
    with pytest.raises(ValueError, match="64 bits"):
        table.get([2**64])


def test_maps_have_any_key(store: ps.Store) -> None:
    counts = ps.KVTable(name="k", store=store, dtype="int64")
    counts.add([7, -1, 7, 2**63 - 1], [1, 5, 2, 9])
    assert counts.get([-1, 7, 12, 2**63 - 1]).tolist() == [5, 3, 0, 9]
    assert counts.get(7) == 3
    counts.set(7, 100)
    counts.erase([-1])
    assert counts.get_async([7, -1]).wait().tolist() == [100, 0]
    wide = ps.KVTable(name="wide", store=store, cols=2)
    wide.add([4], [[1, 2]])
    assert wide.get([4, 4]).tolist() == [[1, 2], [1, 2]] and wide.get(4).tolist() == [1, 2]


def test_values_that_would_change_are_refused(store: ps.Store) -> None:
    table = ps.ArrayTable(1, name="a", store=store, dtype="int8")
    with pytest.raises(TypeError):
        table.add([1.5])
    with pytest.raises(ps.InvalidArgumentError, match="fit into int8"):
        table.add([200])
    with pytest.raises(TypeError, match="no array of numbers"):
        table.add(["one"])
    table.add([-100])
    assert table.get().tolist() == [-100]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "uint8", "int16", "uint16", "int32",
                                   "uint32", "int64", "uint64"])
def test_all_numbers_have_tables(store: ps.Store, dtype: str) -> None:
    table = ps.ArrayTable(3, name=dtype, store=store, dtype=dtype)
    table.add([1, 2, 3])
    assert table.get().dtype == dtype and table.get().tolist() == [1, 2, 3]


def test_bfloat16_goes_by_its_bits(store: ps.Store) -> None:
    table = ps.ArrayTable(1, name="b", store=store, dtype="bfloat16")
    table.add(np.array([0x4040], np.uint16))  # 3
    assert table.get().tolist() == [0x4040]
    with pytest.raises(TypeError, match="bits"):
        table.add([1.0])


def test_options_of_the_rule_hold_from_the_call_on(store: ps.Store) -> None:
    table = ps.ArrayTable(1, name="a", store=store, updater="momentum lr=1 momentum=0")
    table.add([1])
    table.add([1], lr=0.5)
    table.add([1])
    assert table.get().tolist() == [-2]
    table.set_options(lr=2)
    table.add([1])
    assert table.get().tolist() == [-4]
    table.set_updater("add")
    table.add([1])
    assert table.get().tolist() == [-3]
    with pytest.raises(ps.InvalidArgumentError, match="lr"):
        table.add([1], lr=1)


def test_delta_reads_bring_what_has_changed(store: ps.Store) -> None:
    table = ps.MatrixTable(6, 2, name="m", store=store, delta=True, buffers=2)
    table.get()
    table.add([[5, 6]], [4])
    changed: list[int] = [99]
    out = np.full((6, 2), -1, np.float32)
    table.get(out=out, changed=changed)
    assert changed == [4] and out[4].tolist() == [5, 6] and (np.delete(out, 4, 0) == -1).all()
    table.get_async(out=out, buffer=1, changed=changed).wait()
    assert sorted(changed) == [0, 1, 2, 3, 4, 5]
    table.get(out=out, changed=changed)
    assert changed == []
    table.add([[1, 1]], [2])
    ps.wait_all([table.get_async(out=out, changed=changed)])
    assert changed == [2]
    table.add([[1, 1]], [3])

    async def program() -> None:
        await table.get_async(out=out, changed=changed)

    asyncio.run(program())
    assert changed == [3]
    table.get(out=out, buffer=tables.FULL)
    assert (out[0] == 0).all()


def test_bsp_counts_rounds_and_leave_ends_them() -> None:
    with ps.LocalCluster(1, 2) as cluster:
        def work(rank: int) -> Any:
            with ps.ArrayTable(2, name="w", mode="bsp", merged=1) as table:
                table.add([rank + 1, 1])
                first = table.get().tolist()
                if rank == 1:
                    table.leave()
                    return first, None
                table.add([10, 10])
                return first, table.get().tolist()

        assert cluster.run(work) == [([3, 2], [13, 12]), ([3, 2], None)]


def test_who_means_another_table_is_told(store: ps.Store) -> None:
    ps.ArrayTable(3, name="a", store=store)
    with pytest.raises(ps.AlreadyExistsError, match="'a'"):
        ps.ArrayTable(4, name="a", store=store)
    with pytest.raises(ps.InvalidArgumentError, match="mode"):
        ps.ArrayTable(4, name="b", store=store, mode="sometimes")
    with pytest.raises(ps.Error, match="nosuchrule"):
        ps.ArrayTable(4, name="b", store=store, updater="nosuchrule")
    with pytest.raises(TypeError, match="no type of elements"):
        ps.ArrayTable(4, name="b", store=store, dtype="complex64")


def test_a_borrowed_array_is_kept_until_its_ticket_is_done() -> None:
    with ps.LocalCluster(2, 1):
        table = ps.ArrayTable(1_000_000, name="a")
        for _ in range(20):
            table.add_async(np.ones(1_000_000, np.float32), borrow=True)
        gc.collect()
        table.store.barrier()
        assert (table.get() == 20).all()


def test_tables_close_with_their_store(store: ps.Store) -> None:
    table = ps.ArrayTable(3, name="a", store=store)
    store.close()
    assert table.closed
    with pytest.raises(ps.FailedPreconditionError, match="closed"):
        table.get()


def test_the_store_of_a_process_is_one() -> None:
    first = ps.ArrayTable(2, name="shared by default")
    with ps.Store() as store:
        second = ps.ArrayTable(2, name="shared by default", store=store)
        second.add([1, 2])
    assert first.get().tolist() == [1, 2]
    assert (first.store.rank, first.store.num_workers, first.store.num_servers) == (0, 1, 1)
    first.store.erase_table("shared by default")
    ps.finalize()
    assert first.closed
    assert ps.ArrayTable(3, name="shared by default").get().tolist() == [0, 0, 0]


def test_checkpoints_hold_values_and_states(store: ps.Store, tmp_path: Any) -> None:
    def make(of: ps.Store) -> ps.ArrayTable:
        return ps.ArrayTable(2, name="w", store=of, updater="momentum lr=1 momentum=.5")

    table = make(store)
    table.add([1, 2])
    step = store.save(str(tmp_path))
    table.add([1, 2])
    want = table.get()
    with ps.Store.local(servers=3)[0] as other:
        again = make(other)
        assert other.load(str(tmp_path)) == step
        again.add([1, 2])
        np.testing.assert_array_equal(again.get(), want)
    with pytest.raises(ValueError, match="states_and_rule"):
        store.load(str(tmp_path), what="some")
    with pytest.raises(ps.Error, match="nowhere"):
        store.load(str(tmp_path / "nowhere"))


def test_a_barrier_says_who_is_missing() -> None:
    with ps.LocalCluster(1, 2):
        with pytest.raises(ps.DeadlineExceededError, match="worker 1|W\\[1\\]|1"):
            ps.Store().barrier(timeout=0.2)


def test_calls_go_on_beside_each_other(store: ps.Store) -> None:
    table = ps.MatrixTable(50, 4, name="m", store=store)

    def add() -> None:
        for i in range(200):
            table.add_async(np.ones((2, 4), np.float32), [i % 50, (i + 1) % 50])

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.flush()
    assert table.get().sum() == 4 * 200 * 2 * 4


def test_calls_leave_nothing_behind(store: ps.Store) -> None:
    matrix = ps.MatrixTable(100, 4, name="m", store=store)
    counts = ps.KVTable(name="k", store=store, dtype="int64")
    values, out = np.ones((3, 4), np.float32), np.empty((3, 4), np.float32)

    def call(times: int) -> None:
        for _ in range(times):
            matrix.add(values, [1, 5, 7])
            matrix.get([1, 5, 7], out=out)
            matrix.add_async(values, [2, 3, 4])
            counts.add([1, 2], [3, 4])
            matrix.get_async([1]).wait()

    def pages() -> int:
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1])

    call(2000)
    before = pages()
    call(20_000 if os.environ.get("PS_TEST_LONG") else 4000)
    assert pages() - before < 256  # 1 MiB


def test_tables_take_typed_rules(store: ps.Store) -> None:
    table = ps.ArrayTable(1, name="a", store=store, updater=ps.optimizer.SGD(learning_rate=0.5))
    table.add([1])
    table.set_updater(ps.optimizer.SGD(learning_rate=2))
    table.add([1])
    assert table.get().tolist() == [-2.5]


def test_a_job_of_tables_ends_when_a_worker_fails() -> None:
    done = run_job(1, 2, """if True:
        import ps
        table = ps.ArrayTable(2, name="a")
        table.add([1, 2])
        if table.store.rank == 1:
            raise ValueError("mine")
        table.store.barrier()
        """, check=False)
    assert done.returncode == 1 and "ValueError: mine" in done.stderr
    assert "W1 exited with 1" in done.stderr  # what the others say depends on how soon the launcher stops them


def test_without_numpy_tables_give_memoryviews() -> None:
    program = """if True:
        import sys
        sys.modules["numpy"] = None
        import ps
        table = ps.MatrixTable(3, 2, name="m")
        table.add([[1, 2.5]], [1])
        assert table.get().tolist() == [[0, 0], [1, 2.5], [0, 0]], table.get().tolist()
        counts = ps.KVTable(name="k", dtype="int16")
        counts.add([5], [7])
        assert counts.get(5) == 7
        try:
            counts.add([5], [1.5])
        except TypeError as error:
            assert "int16" in str(error)
        else:
            raise AssertionError("1.5 was taken for an int16")
    """
    run_python(program)


def test_ctrl_c_ends_a_wait() -> None:
    program = """if True:
        import _thread, threading, ps
        with ps.LocalCluster(1, 2):
            table = ps.ArrayTable(3, name="a", mode="bsp")
            table.add([1, 2, 3])
            try:
                print("waits", flush=True)
                table.get()  # worker 1 never adds
            except KeyboardInterrupt:
                print("interrupted", flush=True)
                raise
    """
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env=environment())
    assert child.stdout is not None and child.stdout.readline() == "waits\n"
    begin = time.monotonic()
    child.send_signal(2)
    out, err = child.communicate(timeout=30)
    assert out == "interrupted\n" and "KeyboardInterrupt" in err, err
    assert time.monotonic() - begin < 20


def test_what_is_no_option_and_what_does_not_fit_is_named(store: ps.Store) -> None:
    with pytest.raises(TypeError, match="no option 'optimizer'"):
        ps.ArrayTable(3, name="a", store=store, optimizer="sgd")
    with pytest.raises(ps.InvalidArgumentError, match="buffers"):
        ps.MatrixTable(3, 2, name="a", store=store, delta=True, buffers=2**32)
    table = ps.ArrayTable(3, name="a", store=store)
    with pytest.raises(ps.InvalidArgumentError, match="priority"):
        table.add([1, 2, 3], priority=2**31)
    with pytest.raises(ps.InvalidArgumentError, match="from_round=-1"):
        table.set_options(from_round=-1, lr=0.1)
