"""Learning rates that change with the number of updates t: MXNet's schedulers, which the servers compute.

    ps.optimizer.SGD(learning_rate=0.1, lr_scheduler=ps.lr_scheduler.FactorScheduler(step=1000, factor=0.5))

`base_lr` is the learning rate to begin with, where the optimizer says none. The first `warmup_steps` updates rise from
`warmup_begin_lr` to it (`warmup_mode` linear), or stay at `warmup_begin_lr` (constant).
"""
from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, Sequence


@dataclasses.dataclass(frozen=True, kw_only=True)
class LRScheduler:
    """What schedules have in common."""

    base_lr: float | None = None
    warmup_steps: int = 0
    warmup_begin_lr: float = 0.0
    warmup_mode: str = "linear"

    schedule: ClassVar[str] = ""

    @property
    def options(self) -> dict[str, Any]:
        """Of the rule, by name."""
        said: dict[str, Any] = {"schedule": self.schedule}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name != "base_lr" and value != field.default:
                said[_NAMES.get(field.name, field.name)] = value
        return said


_NAMES = {"pwr": "power"}


@dataclasses.dataclass(frozen=True)
class FactorScheduler(LRScheduler):
    """Times `factor` every `step` updates, not below `stop_factor_lr`."""

    step: int = 1
    factor: float = 1.0
    stop_factor_lr: float = 1e-8

    schedule: ClassVar[str] = "factor"


@dataclasses.dataclass(frozen=True)
class MultiFactorScheduler(LRScheduler):
    """Times `factor` after each of the updates `step`, which rise."""

    step: Sequence[int] = ()
    factor: float = 1.0

    schedule: ClassVar[str] = "multifactor"

    @property
    def options(self) -> dict[str, Any]:
        said = super().options
        said["steps"] = list(said.pop("step", ()))
        return said


@dataclasses.dataclass(frozen=True)
class PolyScheduler(LRScheduler):
    """Falls to `final_lr` at update `max_update`, as a polynomial of degree `pwr`."""

    max_update: int = 1
    pwr: float = 2.0
    final_lr: float = 0.0

    schedule: ClassVar[str] = "poly"


@dataclasses.dataclass(frozen=True)
class CosineScheduler(LRScheduler):
    """Falls to `final_lr` at update `max_update`, as half a cosine."""

    max_update: int = 1
    final_lr: float = 0.0

    schedule: ClassVar[str] = "cosine"
