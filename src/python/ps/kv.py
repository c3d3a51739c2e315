"""`ps.kv`, as MXNet's `mx.kv`: `ps.kv.create("dist_sync")`."""
from .kvstore import KVStore, create, is_distributed

__all__ = ["KVStore", "create", "is_distributed"]
