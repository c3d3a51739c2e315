"""The workers of a KVStore, in this process: alone, or a cluster with its servers."""
import contextlib
import ctypes

import ps
from ps import _types
from ps._handle import made
from ps._lib import lib, mark_started


@contextlib.contextmanager
def cluster(servers, workers, **settings):
    """A cluster in this process; its workers' nodes."""
    mark_started()
    names, values = _types.texts(list(settings)), _types.texts([str(value) for value in settings.values()])
    options = _types.filled(_types.LocalClusterOptions, servers=servers, workers=workers, num_settings=len(settings),
                            names=ctypes.cast(names, _types.Texts), values=ctypes.cast(values, _types.Texts))
    handle = made(lib.PSLocalClusterCreate, options)
    nodes = []
    try:
        nodes = [ps.Node(made(lib.PSLocalClusterWorker, handle, rank)) for rank in range(workers)]
        yield nodes
    finally:
        for node in nodes:
            node.close()
        lib.PSLocalClusterFree(handle)


@contextlib.contextmanager
def world(kind, servers=1, workers=1, **options):
    """One store per worker."""
    if not kind.startswith("dist"):
        with ps.KVStore(kind, **options) as store:
            yield [store]
        return
    with cluster(servers, workers) as nodes:
        stores = [ps.KVStore(kind, node=node, **options) for node in nodes]
        try:
            yield stores
        finally:
            for store in stores:
                store.close()
