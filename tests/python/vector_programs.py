"""The acceptance vectors of tables (tests/vectors/*.json) as programs of ps tables.

What they say is written at tests/support/table_program.h (tables.json: a step is done by all workers at once) and
tests/support/vector_program.h (the others: steps follow one another, whoever they are of).
"""
from __future__ import annotations

import json
import os
import pathlib
import threading
from typing import Any, Callable

import numpy as np

import ps

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "vectors"
BEGUN_AT_MOST_S = 60


def read(file: str) -> list[dict[str, Any]]:
    return json.loads((FOLDER / file).read_text())


class Table:
    """One worker's table, of any kind, in the words of the vectors."""

    def __init__(self, store: ps.Store, spec: dict[str, Any]) -> None:
        self.spec = spec
        options = {"name": spec["name"], "store": store, "dtype": spec.get("dtype", "f32"), "mode": _mode(spec),
                   "updater": _updater(spec), "init": spec.get("init"), "merged": int(spec.get("merged", False)),
                   "mean": int(spec.get("mean", False)), "multi_precision": int(spec.get("multi_precision", False)),
                   "manual_close": int(not spec.get("auto_close", True)),
                   "push_codec": _codec(spec, "codec"), "pull_codec": spec.get("pull_codec")}
        self.cols = spec.get("cols", spec.get("width", 1))
        kind = spec.get("kind", "kv" if spec.get("hash") else "matrix")
        if kind == "kv":
            self.table: ps.table.Table = ps.KVTable(cols=self.cols, **options)
        elif kind == "array":
            self.table = ps.ArrayTable(spec["size"], **options)
        else:
            self.table = ps.MatrixTable(spec["rows"], self.cols, delta=spec.get("delta", False),
                                        buffers=spec.get("buffers", 1), **options)
        self.kind = kind

    def elements(self, rows: list[int] | None) -> int:
        if rows is not None:
            return len(rows) * self.cols
        return self.spec.get("size", self.spec.get("rows", 0) * self.cols)

    def add(self, rows: list[int] | None, values: Any, wait: bool, **rule: float) -> None:
        method = self.table.add if wait else self.table.add_async
        if self.kind == "kv":
            method(rows, values, **rule)
        elif rows is None:
            method(values, **rule)
        else:
            method(values, rows, **rule)

    def set(self, rows: list[int] | None, values: Any) -> None:
        if self.kind == "kv":
            self.table.set(rows, values)
        else:
            self.table.set(values, rows)

    def get_async(self, rows: list[int] | None, out: Any, buffer: int, changed: list[int] | None) -> ps.Ticket:
        if self.kind == "kv":
            return self.table.get_async(rows, out)
        if self.kind == "array":
            return self.table.get_async(out)
        return self.table.get_async(rows, out, buffer=buffer, changed=changed)


class Program:
    """A vector, over the stores of its workers."""

    def __init__(self, vector: dict[str, Any], stores: list[ps.Store]) -> None:
        self.vector = vector
        self.stores = stores
        self.specs = {spec["name"]: spec for spec in vector["tables"]}
        self.tables: dict[tuple[int, str], Table] = {}
        self.begun: dict[Any, tuple[ps.Ticket, Table, Any]] = {}

    def run(self, together: bool) -> None:
        """`together`: a step without `w` is one of all workers, at once."""
        self.tables = {(worker, name): Table(store, spec) for name, spec in self.specs.items()
                       for worker, store in enumerate(self.stores)}
        self._steps(self.vector["steps"], 0, self._at_once if together else self._alone)
        for table in self.tables.values():
            table.table.close()

    def _steps(self, steps: list[dict[str, Any]], repetition: int, do: Callable[[Any, int], None]) -> None:
        for step in steps:
            if "repeat" in step:
                times = step.get("long_repeat") if os.environ.get("PS_TEST_LONG") == "1" else None
                for i in range(times or step["repeat"]):
                    self._steps(step["steps"], i, do)
            else:
                do(step, repetition)

    def _alone(self, step: dict[str, Any], repetition: int) -> None:
        self._guarded(step, step.get("w", 0), repetition)

    def _at_once(self, step: dict[str, Any], repetition: int) -> None:
        workers = [step["w"]] if "w" in step else list(range(len(self.stores)))
        failures: list[BaseException] = []

        def work(worker: int) -> None:
            try:
                self._guarded(step, worker, repetition)
            except BaseException as error:  # is raised below
                failures.append(error)

        threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]

    def _guarded(self, step: dict[str, Any], worker: int, repetition: int) -> None:
        part = step.get("error")
        try:
            self._do(step, worker, repetition)
        except ps.Error as error:
            assert part is not None and part in str(error), f"{step}: {error}"
        else:
            assert part is None, f"{step} did not fail"

    def _do(self, step: dict[str, Any], worker: int, repetition: int) -> None:
        store = self.stores[worker]
        rows = step.get("rows")
        if "flush" in step:
            return store.flush()
        if "barrier" in step:
            return store.barrier()
        if "pending" in step:
            assert not self.begun[self._key(worker, step["pending"])][0].done(), f"{step} is done already"
            return None
        if "end_get" in step:
            return self._end(step, worker, repetition)
        what = next(word for word in ("add", "add_async", "set", "get", "begin_get", "leave", "close") if word in step)
        table = self.tables[worker, step[what]]
        if what in ("add", "add_async"):
            rule = {name: step[name] for name in ("lr", "momentum") if name in step}
            return table.add(rows, self._values(step, table, step["values"], rows, repetition), what == "add", **rule)
        if what == "set":
            return table.set(rows, self._values(step, table, step["values"], rows, repetition))
        if what == "leave":
            return table.table.leave()
        if what == "close":
            return table.table.close_round()
        return self._get(step, what, worker, table, rows, repetition)

    def _get(self, step: dict[str, Any], what: str, worker: int, table: Table, rows: Any, repetition: int) -> None:
        out = np.full(step.get("size", table.elements(rows)), step.get("preset", 77), table.table.dtype.name)
        changed: list[int] | None = [] if "changed" in step else None
        ticket = table.get_async(rows, out, step.get("buffer", 0), changed)
        if what == "begin_get":
            self.begun[self._key(worker, step["as"])] = (ticket, table, rows)
            return
        ticket.wait(BEGUN_AT_MOST_S)
        if changed is not None:
            assert sorted(changed) == step["changed"], step
        self._compare(step, table, rows, out, repetition)

    def _end(self, step: dict[str, Any], worker: int, repetition: int) -> None:
        ticket, table, rows = self.begun[self._key(worker, step["end_get"])]
        ticket.wait(BEGUN_AT_MOST_S)
        self._compare(step, table, rows, ticket.wait(BEGUN_AT_MOST_S), repetition)

    def _key(self, worker: int, name: str) -> Any:
        return name if any("pending" in step for step in self.vector["steps"]) else (worker, name)

    def _compare(self, step: dict[str, Any], table: Table, rows: Any, have: Any, repetition: int) -> None:
        if "expect" not in step:
            return
        want = self._values(step, table, step["expect"], rows, repetition)
        if table.table.dtype is ps.float32:
            want = want.astype(np.float32)
        tolerance = step.get("tol", self.vector.get("tol", 0))
        far = np.abs(have.astype(np.float64) - want) > tolerance * np.abs(want) + (1e-12 if tolerance else 0)
        assert not far.any(), f"{self.vector['id']}: {step}: got {have[far][:5]}, not {want[far][:5]}"

    def _values(self, step: dict[str, Any], table: Table, said: Any, rows: Any, repetition: int) -> Any:
        size = step.get("size", table.elements(rows))
        scale = step.get("scale", 1) * (repetition + 1 if step.get("grows") else 1)
        if isinstance(said, list):
            return np.array(said[:size], np.float64 if table.table.dtype.name[0] == "f" else np.int64) * scale
        begin, by = (said["from"], said["step"]) if isinstance(said, dict) else (float(said), 0)
        places = np.arange(size)
        of_rows = places // table.cols
        if rows is not None:  # a call with too many values goes on with the places
            of_rows = np.concatenate([np.array(rows, np.float64).repeat(table.cols), of_rows])[:size]
        times = scale * np.where(np.isin(of_rows, step.get("double_rows", [])), 2, 1)
        values = (begin + by * (of_rows * table.cols + places % table.cols)) * times
        return values if table.table.dtype.name[0] == "f" else values.astype(np.int64)


def _mode(spec: dict[str, Any]) -> str | None:
    mode, more = spec.get("mode"), spec.get("backup", spec.get("bound"))
    return mode if more is None else f"{mode}:{more}"


def _updater(spec: dict[str, Any]) -> str | None:
    options = "".join(f" {name}={value}" for name, value in spec.get("options", {}).items())
    return spec.get("updater", "add" if options else None) and spec.get("updater", "add") + options


def _codec(spec: dict[str, Any], name: str) -> str | None:
    codec = spec.get(name)
    return f"{codec}:{spec['parameter']}" if codec is not None and "parameter" in spec else codec


def of_rule(vector: dict[str, Any]) -> dict[str, Any]:
    """A vector of a rule alone (updaters.json) as a program: each contribution is followed by a read of its worker."""
    steps: list[dict[str, Any]] = [{"w": 0, "set": "t", "values": vector["start"]}]
    for step in vector["steps"]:
        worker = step.get("w", 0)
        steps += [{"w": worker, "add": "t", "values": step["add"]}, {"w": worker, "get": "t", "expect": step["expect"]}]
    table = {"name": "t", "dtype": vector.get("dtype", "f32"), "rows": len(vector["start"]),
             "updater": vector["updater"]}
    return {"id": vector["id"], "workers": vector.get("workers", 1), "servers": 2, "tol": vector.get("tol", 0),
            "tables": [table], "steps": steps}
