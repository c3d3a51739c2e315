"""The acceptance vectors of tables, in one process and over a LocalCluster."""
from __future__ import annotations

import contextlib
from typing import Any, Iterator

import pytest
import vector_programs as programs

import ps

@contextlib.contextmanager
def local_stores(vector: dict[str, Any]) -> Iterator[list[ps.Store]]:
    stores = ps.Store.local(vector["servers"], vector["workers"])
    yield stores
    for store in stores:
        store.close()


@contextlib.contextmanager
def cluster_stores(vector: dict[str, Any]) -> Iterator[list[ps.Store]]:
    with ps.LocalCluster(vector["servers"], vector["workers"]) as cluster:
        stores = [ps.Store(cluster.worker(rank)) for rank in range(vector["workers"])]
        yield stores
        for store in stores:
            store.close()


def _vectors(*files: str) -> list[Any]:
    return [pytest.param(vector, id=vector["id"]) for file in files for vector in programs.read(file)]


@pytest.mark.parametrize("stores", [local_stores, cluster_stores])
@pytest.mark.parametrize("vector", _vectors("tables.json"))
def test_a_vector_of_tables_gives_what_it_must(vector: dict[str, Any], stores: Any) -> None:
    with stores(vector) as opened:
        programs.Program(vector, opened).run(together=True)


@pytest.mark.parametrize("stores", [local_stores, cluster_stores])
@pytest.mark.parametrize("vector", _vectors("rounds.json", "consistency.json", "compression.json"))
def test_a_vector_of_the_store_gives_what_it_must(vector: dict[str, Any], stores: Any) -> None:
    with stores(vector) as opened:
        programs.Program(vector, opened).run(together=False)


@pytest.mark.parametrize("vector", [programs.of_rule(vector.values[0]) for vector in _vectors("updaters.json")],
                         ids=lambda vector: vector["id"])
def test_a_rule_gives_what_it_must(vector: dict[str, Any]) -> None:
    with local_stores(vector) as opened:
        programs.Program(vector, opened).run(together=False)


def test_a_vector_can_fail() -> None:
    vector = {"id": "wrong", "workers": 1, "servers": 1, "tables": [{"name": "a", "kind": "array", "size": 2}],
              "steps": [{"add": "a", "values": 1}, {"get": "a", "expect": 2}]}
    with local_stores(vector) as opened, pytest.raises(AssertionError, match="got .* not"):
        programs.Program(vector, opened).run(together=True)
