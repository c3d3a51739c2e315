"""LocalCluster: a whole cluster in this process."""
from __future__ import annotations

import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest
from conftest import TIME_SCALE, environment, run_python

import ps


def test_the_thread_is_worker_0_inside_the_block() -> None:
    assert ps.num_workers() == 1
    with ps.LocalCluster(servers=2, workers=3) as cluster:
        assert (ps.rank(), ps.num_workers(), ps.num_servers(), ps.role()) == (0, 3, 2, "worker")
        with cluster.worker(2):
            assert ps.rank() == 2
        assert ps.rank() == 0
    assert ps.num_workers() == 1


def test_run_works_for_each_worker_on_a_thread_of_its_own() -> None:
    with ps.LocalCluster(1, 3) as cluster:
        def work(rank: int) -> Any:
            table = ps.ArrayTable(2, name="sum")
            table.add([rank, 1])
            table.store.barrier()
            return rank, ps.rank(), threading.current_thread().name, table.get().tolist()

        results = cluster.run(work)
    assert [result[:2] for result in results] == [(0, 0), (1, 1), (2, 2)]
    assert len({result[2] for result in results}) == 3
    assert [result[3] for result in results] == [[3, 3]] * 3


def test_kvstores_work_in_it() -> None:
    with ps.LocalCluster(2, 2) as cluster:
        def work(rank: int) -> Any:
            with ps.KVStore("dist_sync") as store:
                store.init("w", np.zeros(3, np.float32))
                store.push("w", np.full(3, rank + 1, np.float32))
                return store.pull("w").tolist()

        assert cluster.run(work) == [[3, 3, 3]] * 2


def test_commands_reach_the_controller_of_each_server() -> None:
    heard: list[tuple[int, str]] = []

    def answer(head: int, body: str) -> None:
        heard.append((head, body))
        if head == 13:
            raise KeyError("no such command")

    with ps.LocalCluster(2, 1, controller=answer), ps.KVStore("dist_async") as store:
        store.send_command_to_servers(7, "begin")
        with pytest.raises(ps.NotFoundError, match="no such command"):
            store.send_command_to_servers(13, "")
    assert heard.count((7, "begin")) == 2


def test_the_first_error_ends_the_others_and_is_raised() -> None:
    begin = time.monotonic()
    seen: list[BaseException] = []
    with pytest.raises(ZeroDivisionError):
        with ps.LocalCluster(1, 3) as cluster:
            def work(rank: int) -> None:
                if rank == 1:
                    raise ZeroDivisionError("of worker 1")
                try:
                    ps.Store().barrier()  # worker 1 never comes
                except ps.Error as error:
                    seen.append(error)
                    raise

            cluster.run(work)
    assert len(seen) == 2
    assert time.monotonic() - begin < 20 * TIME_SCALE


def test_a_block_that_is_left_by_an_exception_waits_for_nobody() -> None:
    begin = time.monotonic()
    raised: list[BaseException] = []

    def wait(cluster: ps.LocalCluster) -> None:
        with cluster.worker(1):
            started.set()
            try:
                ps.barrier()
            except ps.Error as error:
                raised.append(error)

    started = threading.Event()
    with pytest.raises(KeyError, match="mine"):
        with ps.LocalCluster(1, 2) as cluster:
            thread = threading.Thread(target=wait, args=(cluster,))
            thread.start()
            started.wait()
            raise KeyError("mine")
    thread.join()
    assert len(raised) == 1 and cluster.closed
    assert time.monotonic() - begin < 20 * TIME_SCALE


def test_what_it_can_not_be_is_refused() -> None:
    with pytest.raises(ps.InvalidArgumentError, match="DMLC_ROLE"):
        ps.LocalCluster(1, 1, {"DMLC_ROLE": "server"})
    with pytest.raises(ps.Error, match="PS_REQUEST_TIMEOUT"):
        ps.LocalCluster(1, 1, {"PS_REQUEST_TIMEOUT": "soon"})
    with pytest.raises(ps.InvalidArgumentError, match="-1 workers"):
        ps.LocalCluster(1, -1)
    with ps.LocalCluster() as cluster:
        with pytest.raises(ValueError, match="worker 1 of 1"):
            cluster.worker(1)


def test_settings_are_those_of_the_nodes() -> None:
    with ps.LocalCluster(1, 2, {"PS_BARRIER_TIMEOUT": 1}):
        begin = time.monotonic()
        with pytest.raises(ps.DeadlineExceededError):
            ps.Store().barrier()
        assert time.monotonic() - begin < 20 * TIME_SCALE


def test_after_its_end_everything_says_so() -> None:
    with ps.LocalCluster() as cluster:
        node = cluster.worker(0)
        table = ps.ArrayTable(1, name="a")
    cluster.close()
    with pytest.raises(ps.FailedPreconditionError, match="ended"):
        cluster.run(lambda rank: rank)
    with pytest.raises(ps.FailedPreconditionError, match="closed"):
        table.get()
    with pytest.raises(ps.FailedPreconditionError, match="closed"):
        node.bind()
    assert repr(cluster) == "<ps.LocalCluster closed of 1 servers and 1 workers>"


def test_two_clusters_know_nothing_of_each_other() -> None:
    with ps.LocalCluster(1, 1) as first, ps.LocalCluster(1, 1) as second:
        def work(_: int) -> Any:
            table = ps.ArrayTable(1, name="a")
            table.add([1])
            return table.get().tolist()

        assert first.run(work) == second.run(work) == [[1]]


def test_a_program_may_end_with_an_open_cluster() -> None:
    run_python("""if True:
        import ps
        cluster = ps.LocalCluster(2, 2)
        with cluster.worker(0):
            table = ps.ArrayTable(3, name="a")
            table.add_async([1, 2, 3])
        other = ps.LocalCluster(1, 2)
        other.worker(1).bind()
        """)


def test_a_program_that_fails_in_it_ends() -> None:
    done = run_python("""if True:
        import ps
        with ps.LocalCluster(2, 2):
            table = ps.ArrayTable(3, name="a")
            raise ValueError("mine")
        """, check=False)
    assert done.returncode == 1 and "ValueError: mine" in done.stderr


def test_ctrl_c_ends_run() -> None:
    program = """if True:
        import ps
        def work(rank):
            if rank != 1:
                ps.barrier()  # without worker 1
            table = ps.ArrayTable(1, name="a", mode="bsp")
            table.add([1])
            print("waits", flush=True)
            table.get()  # of a round in which the others never take part
        with ps.LocalCluster(1, 3) as cluster:
            cluster.run(work)
        """
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env=environment())
    assert child.stdout is not None and child.stdout.readline() == "waits\n"
    child.send_signal(2)
    _, err = child.communicate(timeout=30 * TIME_SCALE)
    assert "KeyboardInterrupt" in err and child.returncode != 0, err
