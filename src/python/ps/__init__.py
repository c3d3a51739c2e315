"""Caravan: parameters that many processes share.

    import ps

    store = ps.KVStore("dist_sync")         # or "local"; one process or a cluster
    store.init("w", numpy.zeros(10, "float32"))
    store.push("w", gradient)
    store.pull("w", out=weights)

The same program runs in all roles: in a process that is the scheduler or a server (DMLC_ROLE) this import serves until
the job ends, and then exits the interpreter (`ps.server`; PS_PYTHON_SERVE=0 turns it off).
"""
from __future__ import annotations

from . import collective, dtypes, errors, kv, lr_scheduler, multiverso, optimizer, server
from ._lib import lib as _lib_functions
from .cluster import LocalCluster
from .collective import allgather, allreduce, allreduce_async, broadcast, reduce_scatter
from .dtypes import (bfloat16, bool_, float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32,
                     uint64)
from .errors import (AlreadyExistsError, CancelledError, DeadlineExceededError, Error, FailedPreconditionError,
                     InternalError, InvalidArgumentError, NotFoundError, ResourceExhaustedError, UnavailableError)
from .kvstore import KVStore
from .model import SharedModel
from .model_updater import ModelUpdater, register_model_updater
from .runtime import (Node, barrier, finalize, init, is_started, num_dead_nodes, num_servers, num_workers, rank, role,
                      start)
from .server import run_server
from .shared import Shared, shared
from .store import Store
from .table import ArrayTable, KVTable, MatrixTable
from .tensor import Tensor, array, from_dlpack, row_sparse, row_sparse_zeros, zeros
from .ticket import Ticket, wait_all
from .trainer import Parameter, Trainer
from .updater import UpdateInfo, Updater, register_updater, register_updaters

__all__ = [
    "allgather", "allreduce", "allreduce_async", "AlreadyExistsError", "array", "ArrayTable", "barrier", "bfloat16",
    "bool_", "broadcast", "CancelledError", "collective", "DeadlineExceededError", "dtypes", "Error", "errors",
    "FailedPreconditionError", "finalize", "float16", "float32", "float64", "from_dlpack", "init", "int16", "int32",
    "int64", "int8", "InternalError", "InvalidArgumentError", "is_started", "kv", "KVStore", "KVTable",
    "LocalCluster", "lr_scheduler", "MatrixTable", "ModelUpdater", "multiverso", "Node", "NotFoundError",
    "num_dead_nodes", "num_servers", "num_workers", "optimizer", "Parameter", "rank", "reduce_scatter",
    "register_model_updater", "register_updater", "register_updaters",
    "ResourceExhaustedError", "role", "row_sparse", "row_sparse_zeros", "run_server", "server",
    "Shared", "shared", "SharedModel", "start", "Store", "Tensor", "Ticket", "Trainer", "uint16", "uint32",
    "uint64", "uint8", "UnavailableError", "UpdateInfo", "Updater", "wait_all", "zeros"
]

__version__: str = _lib_functions.PSVersion().decode()

server.serve_if_asked()
