"""Acceptance vectors of KVStore (tests/vectors/kvstore*.json), through Python; what a vector may say stands in
tests/support/kv_program.h, which does the same in C++."""
import json
import threading

import numpy
from conftest import ROOT

import ps
from ps import dtypes

FILES = ("kvstore_local.json", "kvstore_errors.json", "kvstore_dist.json", "kvstore_rows.json",
         "kvstore_compression.json", "kvstore_optimizers.json")
ERRORS = (ps.Error, TypeError, ValueError)


def read(file):
    """All vectors of a file."""
    return json.loads((ROOT / "tests" / "vectors" / file).read_text())


def is_distributed(vector):
    return vector["type"].startswith("dist")


def kinds(vector):
    """The kinds of keys that a vector is for."""
    said = vector.get("kind", "both")
    return ("numbers", "texts") if said == "both" else (said,)


def as_list(value):
    return value if isinstance(value, list) else [value]


def filled(shape, dtype, values):
    """An array of numbers; 16-bit brain floats are a tensor of the library."""
    if dtype == "bf16":
        bits = numpy.asarray(filled(shape, "f32", values)).view("uint32")
        rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("uint16")
        made = ps.zeros(shape, "bf16")
        numpy.asarray(made)[...] = rounded
        return made
    kind = dtypes.of(dtype).name
    numbers = [float(value) for value in values] if isinstance(values, list) else float(values)
    if isinstance(values, list):
        return numpy.array(numbers, "float64").astype(kind).reshape(shape)
    return numpy.full(shape, numbers).astype(kind)


def shown(array):
    """Numbers of an array, as float64."""
    if isinstance(array, ps.Tensor):
        bits = array.values if array.row_sparse else array
        if bits.dtype is dtypes.bfloat16:
            return (numpy.asarray(bits).astype("uint32") << 16).view("float32").astype("float64")
        return bits.numpy().astype("float64")
    return array.astype("float64")


class KVProgram:
    """One vector, on the stores of all workers that are in this process; None where another process has it."""

    def __init__(self, vector, kind, stores, after_step=lambda: None):
        self.vector, self.kind, self.stores, self.after_step = vector, kind, stores, after_step
        self.forms = {}  # key -> (shape, dtype, sparse)
        self.failures = []

    def run(self):
        """What was not as it must be."""
        self.steps(self.vector["steps"], 0)
        return self.failures

    def steps(self, steps, repetition):
        for step in steps:
            if "repeat" in step:
                for i in range(step["repeat"]):
                    self.steps(step["steps"], i)
            else:
                self.step(step, repetition)

    def step(self, step, repetition):
        if step["do"] in ("init", "broadcast") and "error" not in step:
            for key in self.keys(step):
                self.forms[key] = (step["shape"], step.get("dtype", "f32"), step.get("sparse", False))
        workers = [worker for worker, store in enumerate(self.stores)
                   if store is not None and ("w" not in step or worker in as_list(step["w"]))]
        threads = [threading.Thread(target=self.do, args=(step, worker, repetition)) for worker in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.after_step()

    def do(self, step, worker, repetition):
        part = step.get("error", "")
        try:
            Turn(self, step, worker, repetition).call(self.stores[worker])
        except ERRORS as error:
            if not part or part not in str(error):
                self.fail(step, worker, repr(error))
        except Exception as error:  # pylint: disable=broad-except
            self.fail(step, worker, "raises " + repr(error))
        else:
            if part:
                self.fail(step, worker, "did not fail")

    def keys(self, step):
        return [key if isinstance(key, str) or self.kind == "numbers" else f"key{key}" for key in as_list(step["keys"])]

    def fail(self, step, worker, what):
        self.failures.append(f"{self.vector['id']}: worker {worker}: {json.dumps(step)[:300]}: {what}")


class Turn:
    """A step as one worker does it."""

    def __init__(self, program, step, worker, repetition):
        self.program, self.step, self.worker, self.repetition = program, step, worker, repetition

    def call(self, store):
        step = self.step
        simple = {"init": lambda: store.init(*self.pairs("devices", self.values)),
                  "set": lambda: store.set(*self.pairs("", self.values)),
                  "erase": lambda: store.erase(self.program.keys(step)),
                  "optimizer": lambda: store.set_optimizer(step["text"]),
                  "hyper": lambda: store.set_hyper(from_round=step.get("from", 0), **step["params"]),
                  "compression": lambda: store.set_gradient_compression(step["params"]),
                  "barrier": store.barrier, "leave": store.leave,
                  "command": lambda: store.send_command_to_servers(step["head"], step["text"]),
                  "push": lambda: self.push(store), "push_rows": lambda: self.push(store),
                  "pull": lambda: self.pull(store), "pushpull": lambda: self.push_pull(store),
                  "broadcast": lambda: self.broadcast(store), "pull_rows": lambda: self.pull_rows(store)}
        simple[step["do"]]()

    def push(self, store):
        ticket = store.push_async(*self.pairs("devices", self.values), self.step.get("priority", 0))
        if self.step.get("wait"):
            ticket.wait()

    def pull(self, store):
        keys, outs = self.pairs("outs", self.outs)
        self.compare(store.pull(keys, outs, self.step.get("priority", 0),
                                ignore_sparse=not self.step.get("all_storage", False)), "outs")

    def push_pull(self, store):
        keys, values = self.pairs("devices", self.values)
        if self.step.get("in_place"):
            self.compare(store.pushpull(keys, values), "devices")
            return
        out_keys, outs = self.pairs("outs", self.outs)
        assert out_keys == keys
        self.compare(store.pushpull(keys, values, outs), "outs")

    def broadcast(self, store):
        keys, values = self.pairs("", self.values)
        self.compare(store.broadcast(keys, values, self.pairs("outs", self.outs)[1]), "outs")

    def pull_rows(self, store):
        step = self.step
        shape = step.get("ids_shape", [len(step["ids"])])
        ids = filled(shape, step.get("ids_dtype", "i64"), step["ids"])
        key = self.program.keys(step)[0]
        out = numpy.zeros(1, "float32") if step.get("into_dense") else None
        if out is None and "error" in step and not store.has(key):
            out = ps.row_sparse_zeros((1, 1))  # of what shape, nobody knows
        out = store.row_sparse_pull(key, out, row_ids=ids)
        self.compare_one(step["expect"], out)
        if "expect_ids" in step and out.ids.numpy().tolist() != step["expect_ids"]:
            self.fail("holds other rows")

    # --- arrays ---

    def pairs(self, count, make):
        """Keys, and for each a list with one array per device; `count` says where the step tells their number."""
        keys = self.program.keys(self.step)
        times = self.step.get(count, 1) if count else 1
        return keys, [[make(key, place, device) for device in range(times)] for place, key in enumerate(keys)]

    def form(self, key):
        shape, dtype, sparse = self.program.forms.get(key, ([], "f32", False))
        step = self.step
        return step.get("shape", shape), step.get("dtype", dtype), step.get("sparse", sparse)

    def values(self, key, place, device):
        step = self.step
        shape, dtype, sparse = self.form(key)
        value = (step["by_worker"][self.worker] if "by_worker" in step else step["each_device"][device]
                 if "each_device" in step else step["each"][place] if "each" in step else step["values"])
        if step["do"] == "push_rows":
            ids = step["ids_by_worker"][self.worker] if "ids_by_worker" in step else step["ids"]
            return ps.row_sparse(filled([len(ids), *shape[1:]], dtype, value), ids, shape)
        dense = filled(shape, dtype, value)
        if sparse and (step["do"] == "init" or step.get("sparse", False)):
            return ps.row_sparse(dense, list(range(shape[0])), shape)
        return dense

    def outs(self, key, _place, _device):
        shape, dtype, _ = self.form(key)
        return filled(shape, self.step.get("out_dtype", dtype), 77)

    # --- what came ---

    def compare(self, outs, count):
        if "error" in self.step:
            return
        for place, of_key in enumerate(outs):
            assert len(of_key) == self.step.get(count, 1)
            for out in of_key:
                step = self.step
                self.compare_one(step["expect_at"][self.repetition] if "expect_at" in step else
                                 step["expect_each"][place] if "expect_each" in step else step["expect"], out)

    def compare_one(self, expected, out):
        have = shown(out).reshape(-1)
        if isinstance(expected, list) and len(expected) != have.size:
            self.fail(f"{have.size} elements came")
            return
        dtype = out.dtype.name
        want = shown(filled(have.shape, dtype if dtype in dtypes._BY_NAME else "f64", expected)).reshape(-1)
        tolerance = self.step.get("tol", self.program.vector.get("tol", 0.0))
        wrong = numpy.flatnonzero(~((have == want) | (numpy.abs(have - want) <= tolerance * numpy.abs(want) + 1e-12)))
        if tolerance == 0:
            wrong = numpy.flatnonzero(have != want)
        if wrong.size:
            self.fail(f"element {wrong[0]} is {have[wrong[0]]}, not {want[wrong[0]]} (repetition {self.repetition})")

    def fail(self, what):
        self.program.fail(self.step, self.worker, what)
