"""Optimizers, schedules and the Trainer."""
import threading

import kv_world
import numpy
import pytest

import ps
from ps import lr_scheduler, optimizer


@pytest.mark.parametrize("made, text", [
    (optimizer.SGD(), "sgd lr=0.1"),
    (optimizer.SGD(learning_rate=0.5, momentum=0.9, wd=1e-4), "momentum lr=0.5 momentum=0.9 wd=0.0001"),
    (optimizer.SGD(clip_gradient=1, rescale_grad=0.25, multi_precision=True, lazy_update=False),
     "sgd clip=1 lr=0.1 multi_precision=1 rescale=0.25 sparse=exact"),
    (optimizer.NAG(), "nag lr=0.1 momentum=0.9"),
    (optimizer.AdaGrad(epsilon=1e-7), "adagrad eps=1e-07 lr=0.01"),
    (optimizer.Adam(), "adam beta1=0.9 beta2=0.999 eps=1e-08 lr=0.001"),
    (optimizer.AdamW(wd=0.01), "adamw beta1=0.9 beta2=0.999 eps=1e-06 lr=0.001 wd=0.01"),
    (optimizer.LAMB(upper_bound=10.0),
     "lamb beta1=0.9 beta2=0.999 bias_correction=1 eps=1e-06 lr=0.001 upper_bound=10.0"),
    (optimizer.RMSProp(), "rmsprop eps=1e-08 lr=0.001 rho=0.9"),
    (optimizer.RMSProp(centered=True), "rmsprop_centered eps=1e-08 lr=0.001 momentum=0.9 rho=0.9"),
    (optimizer.Ftrl(lamda1=0.5), "ftrl beta=1.0 lambda1=0.5 lr=0.1"),
    (optimizer.Assign(), "assign"), (optimizer.Add(rate=2), "add rate=2"),
    (optimizer.Smooth(momentum=0.5), "smooth momentum=0.5"),
    (optimizer.AdaGradWorker(), "adagrad_worker eps=1e-06 lr=0.01 rho=0.1"),
    (optimizer.DCASGD(), "dcasgd lambda=0.04 lr=0.01"),
    (optimizer.DCASGDa(), "dcasgd_a eps=1e-07 lambda=0.04 lr=0.01 momentum=0.95"),
], ids=lambda value: type(value).__name__ if not isinstance(value, str) else "")
def test_an_optimizer_is_text_that_the_store_takes(made, text):
    rule, *options = made.text.split()
    assert " ".join([rule, *sorted(options)]) == text
    with ps.KVStore("local") as store:
        store.set_optimizer(made)
        dtype = "float16" if "multi_precision" in text else "float32"
        store.init("w", numpy.ones(4, dtype))
        store.push("w", numpy.ones(4, dtype) / 2)
        assert numpy.isfinite(store.pull("w")).all()


def test_there_is_a_class_for_every_rule_of_the_library():
    with ps.KVStore("local") as store, pytest.raises(ps.NotFoundError) as raised:
        store.set_optimizer("no_such_rule")
    rules = set(str(raised.value).partition("there are ")[2].partition(".")[0].split(", "))
    mine = {kind().rule for kind in optimizer.ALL} | {optimizer.SGD(momentum=0.9).rule,
                                                      optimizer.RMSProp(centered=True).rule}
    assert rules - mine == {"none"} and mine <= rules


def test_optimizers_are_made_by_name():
    assert optimizer.create("AdamW", learning_rate=1.0) == optimizer.AdamW(learning_rate=1.0)
    with pytest.raises(ValueError, match="Cannot find optimizer bogus: there are adagrad"):
        optimizer.create("bogus")
    with pytest.raises(TypeError, match="bogus"):
        optimizer.create("sgd", bogus=1)


@pytest.mark.parametrize("scheduler, rates", [
    (lr_scheduler.FactorScheduler(step=2, factor=0.5, base_lr=1.0), [1, 1, 0.5, 0.5, 0.25]),
    (lr_scheduler.MultiFactorScheduler(step=[1, 3], factor=0.1, base_lr=1.0), [1, 0.1, 0.1, 0.01, 0.01]),
    (lr_scheduler.PolyScheduler(max_update=5, pwr=1, base_lr=1.0), [0.8, 0.6, 0.4, 0.2, 0]),
    (lr_scheduler.CosineScheduler(max_update=2, base_lr=1.0), [0.5, 0, 0]),
    (lr_scheduler.FactorScheduler(base_lr=1.0, warmup_steps=4, warmup_begin_lr=0.2), [0.4, 0.6, 0.8, 1])])
def test_schedules_are_computed_by_the_store(scheduler, rates):
    with ps.KVStore("local") as store:
        store.set_optimizer(optimizer.SGD(lr_scheduler=scheduler))
        store.init("w", numpy.zeros(1, "float64"))
        seen = []
        for _ in rates:
            before = store.pull("w")[0]
            store.push("w", numpy.ones(1))
            seen.append(before - store.pull("w")[0])
    assert seen == pytest.approx(rates, abs=1e-9)


# --- Trainer ---

def quadratic(weight, gradient, target):
    gradient[:] = weight - target


@pytest.mark.parametrize("kvstore", [None, "local", "device", "store"])
@pytest.mark.parametrize("on_store", [None, False])
def test_a_trainer_moves_weights_to_where_the_gradient_is_zero(kvstore, on_store):
    weights = [numpy.zeros(3, "float32"), numpy.zeros((2, 2), "float32")]
    gradients = [numpy.zeros_like(weight) for weight in weights]
    params = {f"p{i}": pair for i, pair in enumerate(zip(weights, gradients))}
    store = ps.KVStore("local") if kvstore == "store" else kvstore
    with ps.Trainer(params, "sgd", {"learning_rate": 0.5, "momentum": 0.5}, kvstore=store,
                    update_on_kvstore=on_store) as trainer:
        for _ in range(60):
            for weight, gradient in zip(weights, gradients):
                quadratic(weight, gradient, 3.0)
            trainer.step(1)
        assert trainer.update_on_kvstore == (kvstore == "store" and on_store is None)
    for weight in weights:
        assert numpy.allclose(weight, 3, atol=1e-4)


def test_workers_of_a_job_train_as_one_with_the_whole_batch():
    examples = numpy.arange(8, dtype="float64").reshape(2, 4)  # of each worker
    alone = numpy.zeros(4)
    gradient = numpy.zeros(4)
    with ps.Trainer({"w": (alone, gradient)}, optimizer.Adam(learning_rate=0.1)) as trainer:
        for _ in range(5):
            gradient[:] = sum(alone - row for row in examples)
            trainer.step(2)
    weights = [numpy.full(4, float(rank)) for rank in range(2)]  # those of rank 0 count

    def work(rank, store):
        gradient = numpy.zeros(4)
        with ps.Trainer({"w": (weights[rank], gradient)}, optimizer.Adam(learning_rate=0.1), kvstore=store) as trainer:
            for _ in range(5):
                gradient[:] = weights[rank] - examples[rank]
                trainer.step(2)

    with kv_world.world("dist_sync", servers=2, workers=2) as stores:
        threads = [threading.Thread(target=work, args=pair) for pair in enumerate(stores)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert weights[0].tolist() == weights[1].tolist() == alone.tolist()


def test_gradients_of_several_devices_are_added_up():
    weights = [numpy.zeros(2, "float32") for _ in range(3)]
    gradients = [numpy.full(2, i + 1, "float32") for i in range(3)]
    for on_store in (True, False):
        with ps.Trainer([ps.Parameter("w", weights, gradients)], "sgd", {"learning_rate": 1.0}, "device",
                        update_on_kvstore=on_store) as trainer:
            if not on_store:
                trainer.allreduce_grads()
                assert [one.tolist() for one in gradients] == [[6, 6]] * 3
                trainer.update(6)
            else:
                trainer.step(6)
        assert [one.tolist() for one in weights] == [[-1, -1] if on_store else [-2, -2]] * 3


def test_rows_of_gradients_change_rows_of_weights():
    weight = numpy.ones((4, 2), "float32")
    gradient = ps.row_sparse(numpy.full((1, 2), 0.5, "float32"), [2], (4, 2))
    with ps.Trainer({"w": (weight, gradient)}, "sgd", {"learning_rate": 1.0}, ps.KVStore("local")) as trainer:
        trainer.step(1)
    assert weight.tolist() == [[1, 1], [1, 1], [0.5, 0.5], [1, 1]]


def test_multipliers_and_rates_of_parameters():
    weights, gradients = numpy.ones((2, 1)), numpy.ones((2, 1))
    params = [ps.Parameter("a", weights[0], gradients[0]), ps.Parameter("b", weights[1], gradients[1], lr_mult=0.5)]
    with ps.Trainer(params, "sgd", {"learning_rate": 0.5}, ps.KVStore("local")) as trainer:
        assert trainer.learning_rate == 0.5
        trainer.step(1)
        assert weights.tolist() == [[0.5], [0.75]]
        trainer.set_learning_rate(0.1)
        assert trainer.learning_rate == 0.1
        trainer.step(2)  # gradients are divided by the batch
        assert weights == pytest.approx(numpy.array([[0.45], [0.725]]))


def test_states_are_saved_and_taken(tmp_uri):
    weight, gradient = numpy.ones(1), numpy.ones(1)

    def trainer():
        return ps.Trainer({"w": (weight, gradient)}, optimizer.Adam(), kvstore=ps.KVStore("local"))

    first = trainer()
    for _ in range(3):
        first.step(1)
    first.save_states(tmp_uri)
    kept = weight.copy()
    first.step(1)
    expected = weight.copy()
    weight[:] = kept
    second = trainer()
    second.load_states(tmp_uri)
    second.step(1)
    assert weight.tolist() == expected.tolist()


@pytest.mark.parametrize("wrong, error", [
    (lambda w: ps.Trainer({"w": (w, w)}, "sgd", kvstore=None, update_on_kvstore=True), "no kvstore"),
    (lambda w: ps.Trainer({"w": (w, w[:1])}, "sgd"), "parameter 'w'.*one shape"),
    (lambda w: ps.Trainer({"w": ([w, w], [w])}, "sgd"), "parameter 'w'"),
    (lambda w: ps.Trainer([ps.Parameter("w", w, w), ps.Parameter("w", w, w)], "sgd"), "one name"),
    (lambda w: ps.Trainer({"w": (w, w)}, optimizer.SGD(), {"learning_rate": 1}), "optimizer_params must be None"),
    (lambda w: ps.Trainer({"w": (w, w)}, "sgd").step(0), "a batch has 0"),
    (lambda w: ps.Trainer({"w": (w, w)}, "sgd", kvstore=ps.KVStore("local")).update(1), "not supported"),
    (lambda w: ps.Trainer({"w": (w, w)}, "sgd", kvstore=ps.KVStore("local")).allreduce_grads(), "not supported"),
    (lambda w: ps.Trainer({"w": (w[::2], w[::2])}, "sgd"), "weight of 'w' is not contiguous")])
def test_what_can_not_be_is_said(wrong, error):
    with pytest.raises((ps.Error, ValueError), match=error):
        wrong(numpy.ones(4, "float32"))
