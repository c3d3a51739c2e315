"""Servers with rules and commands in Python."""
from conftest import environment, run_job, run_python

OWN_RULES = """
import sys
import numpy, ps

def leaky(values, delta, states, info):
    states[0][...] += 1
    values[...] = values / 2 + delta + (states[0] - info.count)
    assert not delta.flags.writeable and info.worker in (0, 1)

def failing(values, delta, states, info):
    raise ArithmeticError("this rule is of no use")

said = []
def controller(head, body):
    if head == 9:
        raise KeyError("command 9")
    said.append((head, body))
    print("heard", head, body, flush=True)

rules = {"leaky": ps.Updater(leaky, states=1), "failing": failing}
if ps.role() != "worker":
    ps.run_server(controller, rules)
    print("served", flush=True)
    sys.exit(0)

ps.register_updaters(rules)
store = ps.KVStore("dist_async")
store.set_optimizer("leaky")
store.init(1, numpy.full(5, 8, "f"))
store.barrier()
if store.rank == 0:
    store.push_async(1, numpy.ones(5, "f")).wait()
    assert store.pull(1).tolist() == [5] * 5, store.pull(1)
    store.send_command_to_servers(7, "from Python, ümlaut")
    try:
        store.send_command_to_servers(9, "")
    except ps.NotFoundError as error:
        print("worker:", error)
store.barrier()
other = ps.KVStore("dist_async", name="other")
other.set_optimizer("failing")
other.init(1, numpy.ones(5, "f"))
try:
    other.push_async(1, numpy.ones(5, "f")).wait()
    other.barrier()
except ps.InternalError as error:
    print("worker:", error)
other.close()
store.close()
"""


def test_servers_have_rules_and_commands_of_the_program():
    done = run_job(2, 2, OWN_RULES, env=environment(PS_PYTHON_SERVE=0))
    out = done.stdout
    assert out.count("heard 7 from Python, ümlaut") == 2  # servers
    assert out.count("served") == 3
    assert "KeyError: 'command 9'" in out
    assert "ArithmeticError: this rule is of no use" in out


def test_a_rule_has_one_name():
    done = run_python("import ps\nps.register_updater('mine', print)\nps.register_updater('mine', print)\n"
                      "try: ps.register_updater('mine', print, states=1)\n"
                      "except ps.AlreadyExistsError as error: print(error)")
    assert "mine" in done.stdout
