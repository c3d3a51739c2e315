"""A program of a job: servers serve when it imports the package, and the workers run all vectors of KVStore for a job
of their number, one after the other, together."""
import os
import sys

import ps

import kv_program

LONG = bool(os.environ.get("PS_TEST_LONG"))  # with both kinds of keys; else in turns


def main():
    ps.init()
    workers, servers = ps.num_workers(), ps.num_servers()
    num_run, failures = 0, []
    for file in kv_program.FILES:
        for vector in kv_program.read(file):
            if not kv_program.is_distributed(vector) or (vector["workers"], vector["servers"]) != (workers, servers):
                continue
            kinds = kv_program.kinds(vector)
            for kind in kinds if LONG else [kinds[num_run % len(kinds)]]:
                with ps.KVStore(vector["type"], name=f"v{num_run}") as store:
                    stores = [store if rank == ps.rank() else None for rank in range(workers)]
                    # Unlike KVStore.barrier this takes no errors of what was pushed, which belong to the vector.
                    failures += kv_program.KVProgram(vector, kind, stores, ps.barrier).run()
                ps.barrier()  # all are done with the name
                num_run += 1
    print("\n".join(failures))
    print(f"{num_run} vectors run")
    return 1 if failures or not num_run else 0


sys.exit(main())
