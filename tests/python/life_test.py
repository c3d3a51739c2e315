"""How programs begin and end: by themselves, by exceptions, with everything open; settings, fork, and no NumPy."""
import os
import time

import pytest
from conftest import OPEN, TIME_SCALE, environment, run_job, run_python

def test_a_program_may_end_with_everything_open():
    done = run_python(OPEN + "ticket = stores[0].pull_async(1)\nrest = ps.zeros(3)\nkeep.pop_all()")
    assert done.stderr == ""


def test_a_program_that_fails_with_everything_open_says_why_and_ends():
    started = time.monotonic()
    done = run_python(OPEN + "ticket = stores[0].pull_async(1)\nraise ZeroDivisionError('why')", check=False)
    assert done.returncode == 1 and done.stderr.strip().endswith("ZeroDivisionError: why"), done.stderr
    assert time.monotonic() - started < 30 * TIME_SCALE


def test_threads_may_wait_when_the_program_ends():
    done = run_python(OPEN + "threading.Thread(target=lambda: stores[0].pull(1), daemon=True).start()\n"
                             "raise SystemExit(3)", check=False)
    assert done.returncode == 3, done.stderr


def test_a_program_leaves_a_job_in_order_without_saying_so():
    done = run_job(1, 2, "import ps, numpy\nps.init()\nstore = ps.kv.create('dist_sync')\n"
                         "store.init(1, numpy.zeros(4))\nstore.push(1, numpy.ones(4))\nprint(store.pull(1)[0])")
    assert done.stdout.count("2.0") == 2 and "ended without" not in done.stderr


def test_the_settings_of_a_node_may_be_arguments():
    done = run_job(1, 2, """
import os, sys
address = os.environ.pop("DMLC_PS_ROOT_URI") + ":" + os.environ.pop("DMLC_PS_ROOT_PORT")
said = dict(role=os.environ.pop("DMLC_ROLE"), num_servers=os.environ.pop("DMLC_NUM_SERVER"),
            num_workers=os.environ.pop("DMLC_NUM_WORKER"))
import ps
assert (ps.rank(), ps.num_workers(), ps.num_servers()) == (0, 1, 0)
ps.init(scheduler=address, PS_START_TIMEOUT=30, **said)
ps.barrier()
print(ps.role(), ps.num_workers(), ps.num_servers(), ps.num_dead_nodes())
ps.finalize()
assert not ps.is_started()
""")
    assert done.stdout.count("worker 2 1 0") == 2


@pytest.mark.parametrize("said, error", [("scheduler='here'", ValueError), ("workers=3", TypeError)])
def test_arguments_of_init_that_are_none_are_named(said, error):
    done = run_python(f"import ps\ntry: ps.init({said})\nexcept {error.__name__} as error: print(error)")
    assert "here" in done.stdout or "workers" in done.stdout


def test_a_job_of_one_needs_no_cluster():
    done = run_python("import ps\nps.init(); ps.barrier(); print(ps.rank(), ps.num_workers(), ps.role())")
    assert done.stdout == "0 1 worker\n"


def test_half_a_cluster_is_an_error_that_says_what_is_missing():
    done = run_python("import ps\ntry: ps.init()\nexcept ps.InvalidArgumentError as error: print(error)",
                      env=environment(DMLC_ROLE="worker"))
    assert "DMLC_NUM_WORKER" in done.stdout or "DMLC_PS_ROOT_URI" in done.stdout, done.stdout + done.stderr


def test_a_forked_child_is_told_what_to_do():
    done = run_python("""
import os, ps, numpy
store = ps.KVStore("local"); store.init(1, numpy.ones(2))
child = os.fork()
if child == 0:
    try:
        store.pull(1)
    except ps.FailedPreconditionError as error:
        print(error, flush=True)
    os._exit(0)
os.waitpid(child, 0)
print(store.pull(1))
""")
    assert "spawn" in done.stdout and "[1. 1.]" in done.stdout


def test_a_child_that_is_forked_before_anything_has_begun_is_a_process_like_any_other():
    done = run_python("""
import os, ps, numpy
child = os.fork()
if child == 0:
    store = ps.KVStore("local"); store.init(1, numpy.ones(2)); print(store.pull(1), flush=True)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
""")
    assert done.stdout == "[1. 1.]\n"


def test_a_library_that_is_not_there_or_of_another_kind_is_named(tmp_path):
    done = run_python("import ps", env=environment(PS_LIBRARY=tmp_path / "none"), check=False)
    assert f"PS_LIBRARY={tmp_path / 'none'}: there is no such file" in done.stderr
    (tmp_path / "text").write_text("no library")
    done = run_python("import ps", env=environment(PS_LIBRARY=tmp_path / "text"), check=False)
    assert f"can not load {tmp_path / 'text'}" in done.stderr


def test_everything_works_without_numpy(tmp_path):
    (tmp_path / "numpy.py").write_text("raise ImportError('no NumPy here')")
    path = f"{tmp_path}:{environment()['PYTHONPATH']}"
    done = run_python("""
import array, sys
import ps
assert "numpy" not in sys.modules
store = ps.KVStore("local")
store.init(["a", "b"], [array.array("f", [1, 2]), memoryview(bytearray(48)).cast("d", (2, 3))])
store.push("a", [array.array("f", [1, 1]), array.array("f", [2, 3])])
pulled = store.pull("a")
assert type(pulled) is memoryview and pulled.tolist() == [3, 4], pulled
assert store.pull("b").tolist() == [[0, 0, 0], [0, 0, 0]]
store.push("b", memoryview(bytearray(48)).cast("d", (2, 3)))
grid = array.array("f", range(8))
store.init("gaps", array.array("f", [0] * 4))
store.push("gaps", memoryview(grid)[::2])
assert store.pull("gaps").tolist() == [0, 2, 4, 6]
def update(key, received, stored):
    for i in range(len(stored)):
        stored[i] += 10 * received[i]
store.set_updater(update)
store.push("a", array.array("f", [1, 0]))
assert store.pull("a").tolist() == [13, 4]
def rule(values, delta, states, info):
    for i in range(len(values)):
        states[0][i] += 1
        values[i] += delta[i] * 2 + states[0][i]
ps.register_updater("rule", rule, states=1)
store = ps.KVStore("local", name="other")
store.set_optimizer("rule"); store.init(1, array.array("d", [1])); store.push(1, array.array("d", [3]))
assert store.pull(1).tolist() == [8]
store.init(2, ps.row_sparse_zeros((4, 2), "float64"))
rows = store.row_sparse_pull(2, row_ids=[3, 1])
assert rows.ids.numpy().tolist() == [1, 3] and rows.values.numpy().tolist() == [[0, 0], [0, 0]]
assert ps.zeros((0, 3)).numpy().nbytes == 0 and ps.zeros(2, "float16").numpy().tolist() == [0, 0]
weight, gradient = array.array("f", [1]), array.array("f", [4])
with ps.Trainer({"w": (weight, gradient)}, "sgd", {"learning_rate": 0.5}) as trainer:
    trainer.step(4)
assert weight[0] == 0.5
""", env=dict(environment(), PYTHONPATH=path))
    assert done.stderr == ""


def test_calls_leak_nothing():
    calls = int(os.environ.get("PS_TEST_LONG", "0")) * 90000 + 10000
    done = run_python(f"""
import gc, numpy, resource, ps
store = ps.KVStore("local")
value, out = numpy.ones(16, "f"), numpy.ones(16, "f")
store.init(1, value)

def round():
    store.push(1, value)
    store.pull(1, out)
    store.pull_async(1, out)
    store.pushpull(1, value, out)
    try:
        store.pull(99, out)
    except ps.NotFoundError:
        pass

def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

for _ in range(2000):
    round()
before, objects = resident(), len(gc.get_objects())
for _ in range({calls // 5}):
    round()
print(resident() - before, len(gc.get_objects()) - objects)
""", timeout=100)
    grown, objects = map(int, done.stdout.split())
    assert grown < 2 << 20 and objects < 200, done.stdout


def test_the_collector_on_a_thread_of_the_library_closes_nothing_that_waits_there():
    run_python("""
import _thread, threading, ps
closed = threading.Event()
class Store(ps.KVStore):
    def close(self):
        assert threading.current_thread().name == "ps-close"
        super().close()
        closed.set()
stores = [Store("local")]
_thread.start_new_thread(stores.clear, ())  # none of threading's, as those of the library
assert closed.wait(30)
""")


def test_what_fails_at_the_end_hinders_nothing_else():
    done = run_python("""
import ps
class Thing:
    def __init__(self, say): self.say = say
    def close_at_exit(self, failed): print(self.say, flush=True); raise ZeroDivisionError(self.say)
things = [Thing("first"), Thing("second")]
for thing in things: ps.runtime._exit.register(thing)
""")
    assert done.stdout == "second\nfirst\n" and "ZeroDivisionError: second" in done.stderr


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_processes_of_multiprocessing_end_in_order(way, tmp_path):
    (tmp_path / "program.py").write_text("""
import multiprocessing, sys, ps
class Thing:
    def close_at_exit(self, failed): print("failed" if failed else "done", flush=True)
def work(fails):
    global thing
    thing = Thing()
    ps.runtime._exit.register(thing)
    assert not fails
if __name__ == "__main__":
    for fails in (False, True):
        child = multiprocessing.get_context(sys.argv[1]).Process(target=work, args=(fails,))
        child.start()
        child.join()
        print(child.exitcode, flush=True)
""")
    done = run_python(f"import runpy, sys\nsys.argv = ['', '{way}']; sys.path.insert(0, '{tmp_path}')\n"
                      f"runpy.run_path('{tmp_path}/program.py', run_name='__main__')", check=False)
    assert done.stdout.split() == ["done", "0", "failed", "1"], done.stdout + done.stderr
