"""Optimizers: typed forms of the rules of ps/updater.h.

    store.set_optimizer(ps.optimizer.SGD(learning_rate=0.1, momentum=0.9))
    ps.ArrayTable(10, updater=ps.optimizer.Adam().text)

They are only described here, as text (`sgd lr=0.1 momentum=0.9`): the servers compute them, and no code travels. With
G = clip(rescale_grad * gradient), w the weight and t the number of the update, each says what it does.
"""
from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from ._kvstore_settings import value_text
from .lr_scheduler import LRScheduler

# Options whose names in the text are shorter.
_NAMES = {"learning_rate": "lr", "epsilon": "eps", "clip_gradient": "clip", "rescale_grad": "rescale",
          "lamda1": "lambda1", "lamda": "lambda"}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Optimizer:
    """A rule with its options. `text` is what stores and tables take."""

    rule: ClassVar[str] = ""

    @property
    def options(self) -> dict[str, Any]:
        """By name, as the library knows them; without those that are left to it."""
        return {_NAMES.get(field.name, field.name): getattr(self, field.name) for field in dataclasses.fields(self)
                if getattr(self, field.name) is not None}

    @property
    def text(self) -> str:
        """`adam lr=0.001 ...`."""
        return " ".join([self.rule, *(f"{name}={value_text(value)}" for name, value in self.options.items())])

    def __str__(self) -> str:
        return self.text


@dataclasses.dataclass(frozen=True, kw_only=True)
class GradientOptimizer(Optimizer):
    """What all rules of gradients have.

    - learning_rate    of the first update, where there is a schedule
    - wd               weight decay: G + wd w
    - rescale_grad, clip_gradient   gradients are multiplied, then limited to [-clip, clip]
    - lr_scheduler     how the rate changes (ps.lr_scheduler)
    - multi_precision  16-bit floats are kept in float32 at the servers
    - lazy_update      rows that a row-sparse gradient does not have stay as they are (True), or are updated too
    """

    learning_rate: float | None = None
    wd: float | None = None
    rescale_grad: float | None = None
    clip_gradient: float | None = None
    lr_scheduler: LRScheduler | None = None
    multi_precision: bool | None = None
    lazy_update: bool | None = None

    default_rate: ClassVar[float] = 0.01

    @property
    def options(self) -> dict[str, Any]:
        said = super().options
        scheduler = said.pop("lr_scheduler", None)
        lazy = said.pop("lazy_update", None)
        if scheduler is not None:
            said.update(scheduler.options)
            if scheduler.base_lr is not None:
                said.setdefault("lr", scheduler.base_lr)
        said.setdefault("lr", self.default_rate)
        if lazy is not None:
            said["sparse"] = "lazy" if lazy else "exact"
        return said


@dataclasses.dataclass(frozen=True, kw_only=True)
class SGD(GradientOptimizer):
    """w -= lr (G + wd w); with `momentum` through a velocity."""

    momentum: float = 0.0

    default_rate: ClassVar[float] = 0.1

    @property
    def rule(self) -> str:  # type: ignore[override]
        return "momentum" if self.momentum else "sgd"

    @property
    def options(self) -> dict[str, Any]:
        said = super().options
        if not self.momentum:
            del said["momentum"]
        return said


@dataclasses.dataclass(frozen=True, kw_only=True)
class NAG(GradientOptimizer):
    """SGD with Nesterov's momentum."""

    momentum: float = 0.9

    rule: ClassVar[str] = "nag"
    default_rate: ClassVar[float] = 0.1


@dataclasses.dataclass(frozen=True, kw_only=True)
class AdaGrad(GradientOptimizer):
    """h += G^2; w -= lr G / (sqrt(h) + epsilon)."""

    epsilon: float = 1e-6

    rule: ClassVar[str] = "adagrad"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Adam(GradientOptimizer):
    """Adam, with weight decay in G."""

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

    rule: ClassVar[str] = "adam"
    default_rate: ClassVar[float] = 0.001


@dataclasses.dataclass(frozen=True, kw_only=True)
class AdamW(Adam):
    """Adam, with weight decay beside G."""

    epsilon: float = 1e-6

    rule: ClassVar[str] = "adamw"


@dataclasses.dataclass(frozen=True, kw_only=True)
class LAMB(AdamW):
    """AdamW, scaled by the norms of the weights and the step. A key lies on one server."""

    lower_bound: float | None = None
    upper_bound: float | None = None
    bias_correction: bool = True

    rule: ClassVar[str] = "lamb"


@dataclasses.dataclass(frozen=True, kw_only=True)
class RMSProp(GradientOptimizer):
    """Divides by the root of a mean of G^2; `centered`: of its variance, with `momentum`."""

    rho: float = 0.9
    momentum: float = 0.9
    epsilon: float = 1e-8
    centered: bool = False

    default_rate: ClassVar[float] = 0.001

    @property
    def rule(self) -> str:  # type: ignore[override]
        return "rmsprop_centered" if self.centered else "rmsprop"

    @property
    def options(self) -> dict[str, Any]:
        said = super().options
        if not said.pop("centered"):
            del said["momentum"]
        return said


@dataclasses.dataclass(frozen=True, kw_only=True)
class Ftrl(GradientOptimizer):
    """FTRL-proximal: `lamda1` for L1, `wd` for L2."""

    beta: float = 1.0
    lamda1: float = 0.01

    rule: ClassVar[str] = "ftrl"
    default_rate: ClassVar[float] = 0.1


@dataclasses.dataclass(frozen=True, kw_only=True)
class Assign(Optimizer):
    """w = what was pushed."""

    rule: ClassVar[str] = "assign"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Add(Optimizer):
    """w += rate times what was pushed."""

    rate: float = 1.0

    rule: ClassVar[str] = "add"


# --- rules whose contributions are steps, rate times gradient, as Multiverso's workers send them ---------------------

@dataclasses.dataclass(frozen=True, kw_only=True)
class Smooth(Optimizer):
    """s = momentum s + (1 - momentum) d; w -= s."""

    momentum: float = 0.0

    rule: ClassVar[str] = "smooth"


@dataclasses.dataclass(frozen=True, kw_only=True)
class AdaGradWorker(Optimizer):
    """With g = d / learning_rate, and h of each worker: h += g^2; w -= rho / sqrt(h + epsilon) g."""

    learning_rate: float = 0.01
    rho: float = 0.1
    epsilon: float = 1e-6

    rule: ClassVar[str] = "adagrad_worker"


@dataclasses.dataclass(frozen=True, kw_only=True)
class DCASGD(Optimizer):
    """Delay-compensated: w -= lr (g + lamda g^2 (w - w after this worker's last step))."""

    learning_rate: float = 0.01
    lamda: float = 0.04

    rule: ClassVar[str] = "dcasgd"


@dataclasses.dataclass(frozen=True, kw_only=True)
class DCASGDa(DCASGD):
    """DCASGD with lamda / sqrt(m + epsilon), m a mean of g^2."""

    momentum: float = 0.95
    epsilon: float = 1e-7

    rule: ClassVar[str] = "dcasgd_a"


ALL: tuple[type[Optimizer], ...] = (SGD, NAG, AdaGrad, Adam, AdamW, LAMB, RMSProp, Ftrl, Assign, Add, Smooth,
                                    AdaGradWorker, DCASGD, DCASGDa)
_BY_NAME = {kind.__name__.lower(): kind for kind in ALL}


def create(name: str, **options: Any) -> Optimizer:
    """An optimizer by the name of its class, in any case: `create("sgd", learning_rate=0.1)`. ValueError: none such."""
    kind = _BY_NAME.get(name.lower())
    if kind is None:
        raise ValueError(f"Cannot find optimizer {name}: there are {', '.join(sorted(_BY_NAME))}")
    return kind(**options)
