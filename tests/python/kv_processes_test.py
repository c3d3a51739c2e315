"""The acceptance vectors of KVStore with a process per node, all of them the same program: one job for all vectors of
its size."""
import os

import kv_program
import pytest
from conftest import ROOT, run_job

LARGEST = 7 if os.environ.get("PS_TEST_LONG") else 2  # workers
SIZES = sorted({(vector["workers"], vector["servers"]) for file in kv_program.FILES for vector in kv_program.read(file)
                if kv_program.is_distributed(vector) and vector["workers"] <= LARGEST})


@pytest.mark.parametrize("workers, servers", SIZES)
def test_vectors_over_processes_give_what_they_must(workers, servers):
    program = f"import sys; sys.path.insert(0, {str(ROOT / 'tests/python')!r}); import kv_worker"
    assert "vectors run" in run_job(servers, workers, program, timeout=90).stdout
