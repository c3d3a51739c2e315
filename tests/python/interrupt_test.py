"""Ctrl-C ends what waits, at once, and nothing else."""
import signal
import subprocess
import sys
import time

import pytest
from conftest import OPEN, TIME_SCALE, environment, run_python

# The other worker never pushes: this waits.
WAITS = "stores[0].pull(1)"


def interrupted(code):
    """The exit code, stderr, and the seconds from a SIGINT, once the program has said `waiting`, to its end."""
    process = subprocess.Popen([sys.executable, "-X", "faulthandler", "-c", code], env=environment(),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "waiting\n", process.communicate()
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60 * TIME_SCALE)
    return process.returncode, err, time.monotonic() - started


@pytest.mark.parametrize("wait", [WAITS, "stores[0].barrier()", "stores[0].init(2, numpy.ones(3))",
                                  "stores[0].pull_async(1).wait()", "ps.barrier(node=nodes[0])",
                                  "ps.wait_all([stores[0].pull_async(1)])"])
def test_an_interrupt_ends_a_wait(wait):
    code, err, seconds = interrupted(OPEN + f"print('waiting', flush=True)\n{wait}")
    assert code == -signal.SIGINT and "KeyboardInterrupt" in err, err
    assert seconds < 20 * TIME_SCALE


def test_a_program_goes_on_after_an_interrupt():
    code, err, _ = interrupted(OPEN + f"""
try:
    print('waiting', flush=True)
    {WAITS}
except KeyboardInterrupt:
    pass
stores[1].push(1, numpy.ones(4, 'f'))
assert stores[0].pull(1).tolist() == [2, 2, 2, 2]
""")
    assert code == 0, err


def test_an_interrupt_ends_a_worker_of_a_job_that_waits_for_the_others():
    process = subprocess.Popen([sys.executable, "-c", "import ps; print('waiting', flush=True); ps.init()"],
                               env=environment(DMLC_ROLE="worker", DMLC_PS_ROOT_URI="127.0.0.1",
                                               DMLC_PS_ROOT_PORT=1, DMLC_NUM_WORKER=1, DMLC_NUM_SERVER=1),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "waiting\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30 * TIME_SCALE)
    assert process.returncode == -signal.SIGINT, err


def test_an_interrupt_while_an_operation_is_issued_leaves_its_arrays_until_it_is_done():
    run_python(OPEN + """
import gc, weakref
from ps import ticket
issue = ticket.lib.PSKVStorePullEx
def interrupted(*arguments):
    issue(*arguments)
    raise KeyboardInterrupt  # as the handler of a signal does that has come meanwhile
ticket.lib.PSKVStorePullEx = interrupted
out = numpy.zeros(4, 'f')
there = weakref.ref(out)
try:
    stores[0].pull(1, out)
    raise AssertionError
except KeyboardInterrupt:
    pass
del out
gc.collect()
assert there() is not None
stores[1].push(1, numpy.ones(4, 'f'))
while there() is not None:
    ticket.sweep()
""")


def test_after_an_interrupt_the_store_ends_the_call_before_the_next_one():
    run_python(OPEN + """
import gc, os, signal, weakref
def interrupt():
    while not any(thread.name == 'ps-call' for thread in threading.enumerate()):
        pass
    os.kill(os.getpid(), signal.SIGINT)
value = numpy.ones(4, 'f')
there = weakref.ref(value)
try:
    threading.Thread(target=interrupt).start()
    stores[0].init(2, value)  # the other one does not
    raise AssertionError
except KeyboardInterrupt:
    pass
del value
gc.collect()
assert there() is not None
other = threading.Thread(target=lambda: stores[1].init(2, numpy.zeros(4, 'f')))
other.start()
assert stores[0].key_info(2).shape == (4,)
other.join()
gc.collect()
assert there() is None
""")


def test_an_interrupt_ends_a_program_that_waits_at_its_end():
    code, err, seconds = interrupted(OPEN + """
ticket = stores[0].pull_async(1)
def wait():
    print('waiting', flush=True)
    ps.ticket.lib.PSRequestWait(ticket.handle, -1)
ps.runtime._exit.before_finalize(wait)
""")
    assert code == -signal.SIGINT, err
    assert seconds < 20 * TIME_SCALE


def test_an_interrupt_ends_the_wait_for_a_tensor_that_is_shown():
    code, err, seconds = interrupted(OPEN + """
out = ps.zeros(4)
stores[0].pull_async(1, out)
print('waiting', flush=True)
out.numpy()
""")
    assert code == -signal.SIGINT and "KeyboardInterrupt" in err, err
    assert seconds < 20 * TIME_SCALE
