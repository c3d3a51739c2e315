"""The same command for all roles: what a process does by its role."""
import signal
import socket
import subprocess
import sys

from conftest import TIME_SCALE, environment, run_job, run_python


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def node(role, code, port, **settings):
    env = environment(DMLC_ROLE=role, DMLC_PS_ROOT_URI="127.0.0.1", DMLC_PS_ROOT_PORT=port, DMLC_NUM_WORKER=1,
                      DMLC_NUM_SERVER=1, **settings)
    return subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)


def test_importing_serves_and_ends_with_the_job():
    port = free_port()
    nodes = [node("scheduler", "import ps; print('not reached')", port), node("server", "import ps", port),
             node("worker", "import numpy, ps\nwith ps.KVStore('dist_sync') as store:\n"
                            " store.init(3, numpy.ones(4, 'f'))\n store.push(3, numpy.ones(4, 'f') * 7)\n"
                            " print(store.pull(3).tolist(), ps.role(), store.type)", port)]
    said = [one.communicate(timeout=60 * TIME_SCALE) for one in nodes]
    assert [one.returncode for one in nodes] == [0, 0, 0], said
    assert [out for out, _ in said] == ["", "", "[7.0, 7.0, 7.0, 7.0] worker dist_sync\n"]


def test_a_node_that_can_not_serve_says_so_and_exits_with_1():
    server = node("server", "import ps", free_port(), PS_START_TIMEOUT=1)
    out, err = server.communicate(timeout=60 * TIME_SCALE)
    assert server.returncode == 1 and "ps: this server: " in err and "127.0.0.1" in err and out == ""
    assert "Traceback" not in err


def test_a_role_that_there_is_not_is_named():
    done = run_python("import ps", env=environment(DMLC_ROLE="servant"), check=False)
    assert done.returncode == 1 and 'DMLC_ROLE="servant" is none of worker, server, scheduler' in done.stderr


def test_a_server_ends_by_an_interrupt():
    server = node("server", "import ps", free_port(), PS_VERBOSE=1)
    for line in server.stderr:  # it has begun to look for its scheduler
        if "Bind to" in line:
            break
    server.send_signal(signal.SIGINT)
    server.communicate(timeout=30 * TIME_SCALE)
    assert server.returncode == 130


def test_serving_by_itself_can_be_turned_off():
    done = run_python("import ps; print(ps.role())", env=environment(DMLC_ROLE="server", PS_PYTHON_SERVE=0))
    assert done.stdout == "server\n"


def test_a_worker_does_not_serve():
    done = run_python("import ps\ntry: ps.run_server()\nexcept ps.FailedPreconditionError as error: print(error)",
                      env=environment(DMLC_ROLE="worker", DMLC_NUM_WORKER=1, DMLC_NUM_SERVER=1,
                                      DMLC_PS_ROOT_URI="127.0.0.1", DMLC_PS_ROOT_PORT=free_port()))
    assert "RunServer is for servers" in done.stdout


def test_a_joint_process_is_a_worker_whose_child_serves():
    program = ("import ps, os, numpy\nassert os.environ['DMLC_ROLE'] == ps.role() == 'worker'\n"
               "store = ps.kv.create('dist_sync'); store.init(1, numpy.zeros(4)); store.push(1, numpy.ones(4))\n"
               "print(store.pull(1)[0], store.num_workers)")
    done = run_job(0, 0, program, options=("--joint", "2"))
    assert done.stdout.count("2.0 2") == 2


def test_a_job_ends_when_a_worker_fails():
    program = ("import ps, numpy\nstore = ps.kv.create('dist_sync'); store.init(1, numpy.zeros(4))\n"
               "if store.rank == 0: raise ZeroDivisionError('of worker 0')\nstore.barrier()")
    done = run_job(1, 2, program, check=False)
    assert done.returncode == 1 and "ZeroDivisionError: of worker 0" in done.stderr



def test_a_server_of_a_joint_process_that_has_failed_is_its_exit_code():
    done = run_python("""
import subprocess, sys, ps
ps.server._child = subprocess.Popen([sys.executable, "-c", "import sys; sys.exit(7)"])
ps.runtime._exit.last(ps.server._wait_for_child)
print("to the end")
""", check=False)
    assert done.returncode == 1 and "ended with 7" in done.stderr and done.stdout == "to the end\n", done.stderr


def test_a_joint_process_may_import_on_any_thread():
    program = """
import os, threading
def use():
    import ps
if os.environ["DMLC_ROLE"] == "joint":  # else it serves
    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
import numpy, ps
store = ps.kv.create('dist_sync')
store.init(1, numpy.zeros(4))
store.push(1, numpy.ones(4))
print(store.pull(1)[0])
"""
    assert run_job(0, 0, program, options=("--joint", "2")).stdout.count("2.0") == 2
