"""The acceptance vectors of KVStore through Python: alone, and with servers in a cluster in this process."""
import kv_program
import kv_world
import pytest

CASES = [pytest.param(vector, kind, id=f"{vector['id']}-{kind}") for file in kv_program.FILES
         for vector in kv_program.read(file) for kind in kv_program.kinds(vector)]


@pytest.mark.parametrize("vector, kind", CASES)
def test_gives_what_it_must(vector, kind):
    with kv_world.world(vector["type"], vector.get("servers", 1), vector.get("workers", 1)) as stores:
        assert kv_program.KVProgram(vector, kind, stores).run() == []


def test_there_are_many():
    assert len(CASES) > 100
