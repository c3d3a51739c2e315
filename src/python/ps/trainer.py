"""Trainer: gradients in, new weights out, as gluon's.

    weight, gradient = numpy.zeros(10, "float32"), numpy.zeros(10, "float32")
    trainer = ps.Trainer({"w": (weight, gradient)}, "sgd", {"learning_rate": 0.1}, kvstore="dist_sync")
    for batch in batches:
        gradient[:] = ...               # summed over the examples of this worker's batch
        trainer.step(batch_size)        # examples of all workers; `weight` is new when it returns
"""
from __future__ import annotations

import dataclasses
import math
from typing import Any, Mapping, Sequence

from . import arrays, optimizer as optimizers, runtime
from .errors import FailedPreconditionError, InvalidArgumentError
from .kvstore import KVStore
from .optimizer import Optimizer
from .tensor import Tensor, int64s, row_sparse

_LARGE = 16 << 20  # elements: a `local` store would copy more than it saves
_TOGETHER = 256 << 10  # bytes of small parameters that travel in one call


@dataclasses.dataclass
class Parameter:
    """A parameter of a model: an array of its weights and one of its gradients (dense, or row-sparse), or lists of one
    of each per device. They are the program's, and used where they lie. `name`: the same on all workers."""

    name: str
    weight: Any
    gradient: Any
    lr_mult: float = 1.0
    wd_mult: float = 1.0

    def __post_init__(self) -> None:
        self.weights = list(self.weight) if isinstance(self.weight, (list, tuple)) else [self.weight]
        self.gradients = list(self.gradient) if isinstance(self.gradient, (list, tuple)) else [self.gradient]
        views = [arrays.writing(one, f"weight of '{self.name}'") for one in self.weights]
        self.shape, self.size, self.nbytes = views[0].shape, views[0].size, views[0].nbytes
        self.sparse = any(isinstance(one, Tensor) and one.row_sparse for one in self.gradients)
        shapes = {view.shape for view in views} | {_shape(one, self.name) for one in self.gradients}
        if len(self.weights) != len(self.gradients) or len(shapes) != 1:
            raise InvalidArgumentError(f"parameter '{self.name}': there is one weight and one gradient per device, all "
                                       "of one shape")


Parameters = Mapping[str, tuple[Any, Any]] | Sequence[Parameter]


class Trainer:
    """Applies an optimizer to parameters, through a KVStore or without one. One thread."""

    def __init__(self, params: Parameters, optimizer: Optimizer | str,
                 optimizer_params: Mapping[str, Any] | None = None, kvstore: KVStore | str | None = "device",
                 compression_params: Mapping[str, Any] | None = None,
                 update_on_kvstore: bool | None = None) -> None:
        """`params`: {name: (weight, gradient)}, or Parameters. `optimizer`: of ps.optimizer, or a name with
        `optimizer_params`. `kvstore`: a type, a store, or None: each process for itself. `update_on_kvstore`: whether
        the store updates the weights, or only adds the gradients up, and every process updates its own; left to the
        Trainer without it. Distributed: all workers make it together, and begin with the weights of rank 0."""
        self._params = _parameters(params)
        self._optimizer = _optimizer(optimizer, dict(optimizer_params or {}))
        self._rate = self._optimizer.options.get("lr", math.nan)
        self._scale = self._optimizer.options.get("rescale", 1.0)
        self._batch_size = 0.0
        self._compressed = bool(compression_params)
        self._store, self._owns_store = self._choose_store(kvstore)
        self._on_store = self._decide(update_on_kvstore)
        # The same rules, in this process: what is pushed is added up already.
        self._own = None if self._on_store else KVStore("local")
        if self._store is not None and compression_params:
            self._store.set_gradient_compression(compression_params)
        self._make_keys()

    # --- MXNet's rules for what updates where ---

    def _choose_store(self, kvstore: KVStore | str | None) -> tuple[KVStore | None, bool]:
        if isinstance(kvstore, KVStore):
            return kvstore, False
        if not kvstore:
            return None, False
        devices = len(self._params[0].weights) if self._params else 1
        return (KVStore(kvstore), True) if devices > 1 or "dist" in kvstore.lower() else (None, False)

    def _decide(self, asked: bool | None) -> bool:
        if self._store is None:
            if asked:
                raise InvalidArgumentError("Trainer: update_on_kvstore=True, and there is no kvstore")
            return False
        kind = self._store.type
        capable = self._store.is_capable(KVStore.OPTIMIZER)
        large = kind == "local" and any(param.size > _LARGE for param in self._params)
        on_store = (capable and not large and _updates_by_default()) if asked is None else asked
        if not on_store and "dist" in kind and ("async" in kind or "ssp" in kind):
            raise InvalidArgumentError("Please set update_on_kvstore=True when training in async mode.")
        if not on_store and "dist" in kind and any(param.sparse for param in self._params):
            raise InvalidArgumentError("Cannot set update_on_kvstore=False when sparse gradients are pushed to a "
                                       "distributed store.")
        if on_store and not capable:
            raise InvalidArgumentError(f"Cannot set update_on_kvstore=True: KVStore type {kind} is not capable of "
                                       "'optimizer'")
        return on_store

    def _make_keys(self) -> None:
        """Everybody begins with the weights of rank 0."""
        self._updating.set_optimizer(self._optimizer)
        for param in self._params:
            first = _first(param)
            if self._store is not None:
                self._store.broadcast(param.name, first, param.weights)
            if self._own is not None:
                self._own.init(param.name, first)
            said: dict[str, Any] = {"lr_mult": param.lr_mult, "wd_mult": param.wd_mult}
            mults = {name: value for name, value in said.items() if value != 1}
            if mults:
                self._updating.set_hyper(param.name, **mults)

    @property
    def _updating(self) -> KVStore:
        store = self._store if self._on_store else self._own
        assert store is not None
        return store

    # --- training ---

    def step(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """One step: gradients are added up over devices and workers, divided by `batch_size` (above 0: the examples
        that they are sums over), and applied. The weights are new when it returns."""
        del ignore_stale_grad  # gradients of arrays are never stale
        if not self._on_store:
            self.allreduce_grads()
            self.update(batch_size)
            return
        assert self._store is not None
        self._rescale(self._store, batch_size)
        tickets = []
        for place, names, group in self._groups():
            self._store.push(names, [param.gradients for param in group], -place)
            tickets.append(self._store.pull_async(names, [param.weights for param in group], -place))
        for ticket in tickets:
            ticket.wait()

    def allreduce_grads(self) -> None:
        """Every gradient becomes the sum over devices and workers. Not where the store updates."""
        if self._on_store:
            raise FailedPreconditionError("allreduce_grads() when parameters are updated on kvstore is not supported. "
                                          "Try setting update_on_kvstore to False when creating trainer.")
        if self._store is None:
            return
        tickets = []
        for place, names, group in self._groups():
            gradients = [param.gradients for param in group]
            if self._compressed:
                self._store.push(names, gradients, -place)
                tickets.append(self._store.pull_async(names, gradients, -place))
            else:
                tickets.append(self._store.pushpull_async(names, gradients, priority=-place))
        for ticket in tickets:
            ticket.wait()

    def update(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Applies gradients that allreduce_grads has added up. Not where the store updates."""
        del ignore_stale_grad
        if self._own is None:
            raise FailedPreconditionError("update() when parameters are updated on kvstore is not supported. Try "
                                          "setting update_on_kvstore to False when creating trainer.")
        self._rescale(self._own, batch_size)
        for param in self._params:
            self._own.push(param.name, param.gradients[0])  # they are the same on all devices
            self._own.pull(param.name, param.weights)

    def _groups(self) -> list[tuple[int, list[str], list[Parameter]]]:
        """Small parameters that follow one another travel together; with the place of the first."""
        groups: list[tuple[int, list[str], list[Parameter]]] = []
        room = 0
        for place, param in enumerate(self._params):
            if not groups or param.nbytes > room:
                groups.append((place, [], []))
                room = _TOGETHER
            groups[-1][1].append(param.name)
            groups[-1][2].append(param)
            room -= param.nbytes
        return groups

    def _rescale(self, store: KVStore, batch_size: float) -> None:
        if not (batch_size > 0 and math.isfinite(batch_size)):
            raise InvalidArgumentError(f"Trainer: a batch has {batch_size} examples; above 0")
        if batch_size != self._batch_size:
            store.set_hyper(rescale_grad=self._scale / batch_size)
            self._batch_size = batch_size

    # --- settings ---

    @property
    def learning_rate(self) -> float:
        """As the optimizer, or set_learning_rate, has said it last."""
        return float(self._rate)

    def set_learning_rate(self, lr: float) -> None:
        """From the next step on; distributed, by one worker."""
        self._updating.set_hyper(lr=lr)
        self._rate = lr

    @property
    def optimizer(self) -> Optimizer:
        return self._optimizer

    @property
    def kvstore(self) -> KVStore | None:
        return self._store

    @property
    def update_on_kvstore(self) -> bool:
        return self._on_store

    def save_states(self, fname: str) -> None:
        """Writes the optimizer with its states below `fname`; distributed, by one worker."""
        self._updating.save_optimizer_states(fname)

    def load_states(self, fname: str) -> None:
        """Takes them, all workers together."""
        self._updating.load_optimizer_states(fname, load_optimizer=True)
        self._batch_size = 0.0  # that rule was scaled for the batches of who has saved it

    def close(self) -> None:
        """Ends the store that it has made."""
        if self._store is not None and self._owns_store:
            self._store.close()
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> Trainer:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _parameters(params: Parameters) -> list[Parameter]:
    if isinstance(params, Mapping):
        listed = [Parameter(name, *pair) for name, pair in params.items()]
    else:
        listed = list(params)
    if len({param.name for param in listed}) != len(listed):
        raise InvalidArgumentError("Trainer: two parameters have one name")
    if len({len(param.weights) for param in listed}) > 1:
        raise InvalidArgumentError("Trainer: parameters are on different numbers of devices")
    return listed


def _optimizer(optimizer: Optimizer | str, options: dict[str, Any]) -> Optimizer:
    if isinstance(optimizer, str):
        return optimizers.create(optimizer, **options)
    if options:
        raise InvalidArgumentError("optimizer_params must be None if optimizer is an instance of Optimizer instead of "
                                   "str")
    return optimizer


def _shape(array: Any, name: str) -> tuple[int, ...]:
    return array.shape if isinstance(array, Tensor) else arrays.reading(array, f"gradient of '{name}'").shape


def _first(param: Parameter) -> Any:
    """Of row-sparse gradients the key is row-sparse, so that only their rows travel."""
    if not param.sparse:
        return param.weights[0]
    return row_sparse(param.weights[0], int64s(range(param.shape[0])), param.shape)


def _updates_by_default() -> bool:
    return runtime.setting("MXNET_UPDATE_ON_KVSTORE") != "0"
