"""A job of one scheduler, one server and one worker of one_key_requests."""
import os
import socket
import subprocess
import sys

LIMIT_S = 600
ROLES = ("scheduler", "server", "worker")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run(program, arguments, variables, prefix_of=None):
    """The output of each role. `prefix_of`: command in front of a role's."""
    env = dict(os.environ, DMLC_NUM_SERVER="1", DMLC_NUM_WORKER="1", DMLC_PS_ROOT_URI="127.0.0.1",
               DMLC_PS_ROOT_PORT=str(free_port()), PS_START_TIMEOUT="120", **variables)
    command = [program] + [str(argument) for argument in arguments]
    nodes = [subprocess.Popen((prefix_of or {}).get(role, []) + command, env=dict(env, DMLC_ROLE=role),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for role in ROLES]
    try:
        outputs = [node.communicate(timeout=LIMIT_S)[0] for node in nodes]
    finally:
        for node in nodes:
            node.kill()
    for node, output in zip(nodes, outputs):
        if node.returncode != 0:
            sys.exit(f"{' '.join(node.args)} ended with {node.returncode}:\n{output}")
    return dict(zip(ROLES, outputs))
