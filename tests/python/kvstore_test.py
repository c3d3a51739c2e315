"""KVStore beyond its vectors: forms of keys and arrays, results, tickets, updaters, errors."""
import array
import gc
import threading
import weakref

import kv_world
import numpy
import pytest

import ps


def ones(*shape, dtype="float32"):
    return numpy.ones(shape, dtype)


@pytest.fixture
def store():
    with ps.KVStore("local") as made:
        yield made


# --- keys and arrays ---

@pytest.mark.parametrize("key", [1.5, None, b"a", (1.5,), object()])
def test_other_keys_are_refused(store, key):
    with pytest.raises(TypeError, match="unexpected type for keys"):
        store.init(key, [ones(1)] if isinstance(key, tuple) else ones(1))


@pytest.mark.parametrize("name", [5, None, b"local"])
def test_a_type_is_a_text(name):
    with pytest.raises(TypeError, match="name must be a string"):
        ps.kv.create(name)


def test_keys_of_one_call_are_of_one_type(store):
    with pytest.raises(TypeError, match="inconsistent types of keys detected"):
        store.init([1, "a"], [ones(1), ones(1)])


@pytest.mark.parametrize("key", [2**63, -2**63 - 1])
def test_keys_have_64_bits(store, key):
    store.init([2**63 - 1, -2**63, numpy.int32(5)], [ones(1)] * 3)
    with pytest.raises(ps.InvalidArgumentError, match=f"key {key}"):
        store.push(key, ones(1))


@pytest.mark.parametrize("keys, values", [([1, 2], [ones(1)]), ([1], [ones(1), ones(1)]), ([1, 2], ones(2))])
def test_there_is_a_value_for_each_key(store, keys, values):
    with pytest.raises(ps.InvalidArgumentError, match="keys and . values"):
        store.init(keys, values)


def test_nested_lists_are_devices(store):
    store.init(["a", "b"], [ones(2), ones(2)])
    store.push(["a", "b"], [[ones(2), ones(2)], [ones(2), ones(2), ones(2)]])
    outs = [[ones(2), ones(2)], [ones(2)]]
    assert store.pull(["a", "b"], outs) is outs
    assert [[out.tolist() for out in of_key] for of_key in outs] == [[[2, 2], [2, 2]], [[3, 3]]]


def test_no_keys_are_no_work(store):
    store.init([], [])
    store.push([], [])
    assert store.pull([]) == []


def test_arrays_of_any_maker_are_taken(store):
    store.init(1, array.array("f", [1, 2, 3]))
    store.push(1, memoryview(array.array("f", [3, 2, 1])))
    out = bytearray(12)
    assert store.pull(1, memoryview(out).cast("f")).tolist() == [3, 2, 1]
    into = ps.zeros(3)
    store.pull(1, into)
    assert into.numpy().tolist() == [3, 2, 1]


def test_gradients_with_gaps_are_copied_and_outs_with_gaps_refused(store):
    store.init(1, ones(2, 2))
    store.push(1, numpy.arange(8, dtype="float32").reshape(2, 4)[:, ::2])
    assert store.pull(1).tolist() == [[0, 2], [4, 6]]
    with pytest.raises(ValueError, match="out of key 1 is not contiguous"):
        store.pull(1, ones(2, 4)[:, ::2])
    with pytest.raises(ValueError, match="out of key 1 is read-only"):
        store.pull(1, bytes(16))
    with pytest.raises(TypeError, match="value of key 1 is no array"):
        store.push(1, 3.0)


def test_what_is_pushed_has_been_copied(store):
    store.init(1, ones(4))
    value = ones(4)
    store.push(1, value)
    value[:] = 9
    assert store.pull(1).tolist() == [1, 1, 1, 1]


# --- results ---

@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "uint8", "bool"])
def test_a_pull_without_out_gives_a_new_array_of_the_keys_type(store, dtype):
    store.init(1, ones(2, 3, dtype=dtype))
    pulled = store.pull(1)
    assert pulled.dtype == dtype and pulled.shape == (2, 3) and pulled.all()
    assert pulled is not store.pull(1)


def test_a_pull_converts_to_the_type_of_out(store):
    store.init(1, numpy.float32([1.5, 2]))
    assert store.pull(1, ones(2, dtype="float64")).tolist() == [1.5, 2]


def test_brain_floats_are_shown_as_floats(store):
    made = ps.zeros(2, "bfloat16")
    numpy.asarray(made)[...] = [0x3F80, 0xC000]  # 1, -2
    store.init(1, made)
    assert store.pull(1).tolist() == [1, -2]


def test_pushpull_without_out_is_in_place(store):
    store.init(1, ones(2))
    value = ones(2) * 5
    assert store.pushpull(1, value) is value
    assert value.tolist() == [5, 5]
    value, out = ones(2) * 7, ones(2)
    assert store.pushpull(1, value, out) is out
    assert out.tolist() == [7, 7]


def test_broadcast_fills_out_or_a_new_array(store):
    out = [numpy.zeros(2, "float32"), numpy.zeros(2, "float32")]
    assert store.broadcast(1, ones(2), out) is out
    assert [one.tolist() for one in out] == [[1, 1], [1, 1]]
    assert store.broadcast(2, ones(3)).tolist() == [1, 1, 1]
    with pytest.raises(ps.AlreadyExistsError, match="duplicate init of key 1"):
        store.broadcast(1, ones(2))


def test_rows_come_as_row_sparse_tensors(store):
    store.init("r", ps.row_sparse_zeros((5, 2)))
    store.push("r", ps.row_sparse(ones(2, 2), [0, 3], (5, 2)))
    rows = store.row_sparse_pull("r", row_ids=[3, 0, 4, 3])
    assert rows.ids.numpy().tolist() == [0, 3, 4]
    assert rows.values.numpy().tolist() == [[1, 1], [1, 1], [0, 0]]
    assert store.row_sparse_pull("r", rows, row_ids=numpy.int32([[3]])) is rows
    assert rows.ids.numpy().tolist() == [3]
    assert store.pull("r").tolist() == [[1, 1], [0, 0], [0, 0], [1, 1], [0, 0]]


@pytest.mark.parametrize("row_ids", [None, 5, "ab", ["a"], object()])
def test_row_ids_are_arrays(store, row_ids):
    store.init(1, ps.row_sparse_zeros((5, 2)))
    with pytest.raises(TypeError, match="row_ids should be NDArray or list of NDArray"):
        store.row_sparse_pull(1, row_ids=row_ids)


def test_there_are_as_many_row_ids_as_outs(store):
    store.init(1, ps.row_sparse_zeros((5, 2)))
    outs = [ps.row_sparse_zeros((5, 2)), ps.row_sparse_zeros((5, 2))]
    with pytest.raises(ps.InvalidArgumentError, match="the number of row_ids doesn't match the number of values"):
        store.row_sparse_pull(1, outs, row_ids=[numpy.arange(1), numpy.arange(2), numpy.arange(3)])
    store.row_sparse_pull(1, outs, row_ids=numpy.int64([1, 2]))
    assert [out.ids.numpy().tolist() for out in outs] == [[1, 2], [1, 2]]


def test_a_set_writes_and_an_erase_forgets(store):
    store.set_optimizer(ps.optimizer.SGD())
    store.init(1, ones(2))
    store.set(1, ones(2) * 3)
    assert store.pull(1).tolist() == [3, 3]
    assert store.has(1) and not store.has(2)
    store.erase(1)
    assert not store.has(1)
    store.init(1, ones(3))
    info = store.key_info(1)
    assert (info.shape, info.dtype, info.row_sparse, info.servers) == ((3,), ps.float32, False, (0,))


# --- tickets ---

def test_tickets_give_the_arrays_that_they_fill(store):
    store.init([1, 2], [ones(2), ones(3)])
    out = ones(2)
    ticket = store.pull_async(1, out)
    assert ticket.wait() is out and ticket.done() and ticket.wait(timeout=0) is out
    assert [one.tolist() for one in ps.wait_all([store.pull_async(1), store.pull_async(2)])] == [[1, 1], [1, 1, 1]]
    assert ps.wait_all([]) == []
    assert repr(ticket) == "<ps.Ticket done>"


def test_a_dropped_ticket_keeps_its_array_until_it_is_done():
    with kv_world.world("dist_sync", workers=2) as stores:
        threads = [threading.Thread(target=one.init, args=(1, ones(1000))) for one in stores]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        stores[0].push(1, ones(1000))
        out = ones(1000)
        gone = weakref.ref(out)
        ticket = stores[0].pull_async(1, out)  # of a round that is not made yet
        assert not ticket.done()
        del ticket, out
        gc.collect()
        assert gone() is not None
        stores[1].push(1, ones(1000))
        assert stores[1].pull(1)[0] == 2
        stores[0].pull(1)
        from ps import ticket as tickets
        tickets.sweep()
        gc.collect()
        assert gone() is None


def test_a_wait_that_takes_too_long_says_for_whom_and_may_be_repeated():
    with kv_world.world("dist_sync", workers=2) as stores:
        other = threading.Thread(target=stores[1].init, args=(1, ones(1)))
        other.start()
        stores[0].init(1, ones(1))
        other.join()
        stores[0].push(1, ones(1))
        ticket = stores[0].pull_async(1)
        with pytest.raises(ps.DeadlineExceededError, match="missing: worker 1"):
            ticket.wait(timeout=0.3)
        stores[1].push(1, ones(1))
        assert ticket.wait().tolist() == [2]


def test_calls_of_a_store_take_no_longer_than_it_may():
    with kv_world.world("dist_sync", workers=2, timeout=0.3) as stores:
        other = threading.Thread(target=stores[1].init, args=(1, ones(1)))
        other.start()
        stores[0].init(1, ones(1))
        other.join()
        stores[0].push(1, ones(1))
        with pytest.raises(ps.DeadlineExceededError, match="missing: worker 1"):
            stores[0].pull(1)
        stores[1].push(1, ones(1))
        assert stores[0].pull(1).tolist() == [2]


def test_a_store_of_a_cluster_that_nobody_has_described_says_what_is_missing():
    with pytest.raises(ps.FailedPreconditionError, match="DMLC_ROLE=worker"):
        ps.KVStore("dist_sync")


def test_a_tensor_waits_for_what_writes_it(store):
    store.init(1, ones(3))
    out = ps.zeros(3)
    ticket = store.pull_async(1, out)
    out.wait()
    assert out.numpy().tolist() == [1, 1, 1] and ticket.wait() is out


def test_continuations_and_await_hear_of_the_end(store):
    import asyncio
    store.init(1, ones(2))
    heard, said = threading.Event(), []
    store.pull_async(1).then(lambda error: (said.append(error), heard.set()))
    assert heard.wait(30) and said == [None]

    async def program():
        return await store.pull_async(1)

    assert asyncio.run(program()).tolist() == [1, 1]


# --- updaters and optimizers ---

def test_an_updater_changes_what_is_stored(store):
    store.init(["a"], [ones(2)])
    keys = []

    def update(key, received, stored):
        keys.append(key)
        assert not received.flags.writeable
        stored += received * 2

    store.set_updater(update)
    store.push("a", [ones(2), ones(2)])
    assert store.pull("a").tolist() == [5, 5] and keys == ["a"]


def test_what_an_updater_raises_is_raised_by_the_push(store):
    store.init(1, ones(2))

    locals_of_update = []

    def update(key, received, stored):
        large = numpy.ones(3)
        locals_of_update.append(weakref.ref(large))
        raise LookupError("nothing there")

    store.set_updater(update)
    with pytest.raises(ps.Error, match="LookupError: nothing there") as raised:
        store.push_async(1, ones(2)).wait()
    assert isinstance(raised.value.__cause__, LookupError)
    assert raised.value.__cause__.__traceback__ is not None
    assert locals_of_update[0]() is None
    assert store.pull_async(1).wait(float("inf")).tolist() == [1, 1]


def test_an_updater_goes_with_its_store():
    store = ps.KVStore("local")
    gone = weakref.ref(store)
    store.set_updater(lambda key, received, stored: None)
    del store
    gc.collect()
    assert gone() is None


def test_hyper_parameters_change_for_all_keys_or_some(store):
    store.set_optimizer(ps.optimizer.SGD(learning_rate=1.0))
    store.init([1, 2], [ones(1), ones(1)])
    store.set_hyper(lr=0.5)
    store.set_hyper([2], lr_mult=2)
    store.push([1, 2], [ones(1), ones(1)])
    assert [one.tolist() for one in store.pull([1, 2])] == [[0.5], [0]]


def test_states_and_values_are_saved_and_taken(tmp_uri):
    def trained(steps, store):
        for _ in range(steps):
            store.push("w", ones(2))

    with ps.KVStore("local") as store:
        store.set_optimizer(ps.optimizer.Adam())
        store.init("w", ones(2))
        trained(3, store)
        store.save_optimizer_states(tmp_uri, dump_optimizer=True)
        store.checkpoint(tmp_uri + ".all")
        trained(1, store)
        expected = store.pull("w").tolist()
    with ps.KVStore("local") as store:
        store.set_optimizer(ps.optimizer.Adam())
        store.init("w", ones(2))
        store.restore(tmp_uri + ".all")
        store.load_optimizer_states(tmp_uri)
        trained(1, store)
        assert store.pull("w").tolist() == expected


def test_files_that_there_are_not_are_named(store, tmp_uri):
    store.set_optimizer("sgd")
    store.init(1, ones(1))
    with pytest.raises(ps.Error, match="checkpoint"):
        store.load_optimizer_states(tmp_uri)


@pytest.mark.parametrize("said", [None, 5, "2bit"])
def test_compression_is_said_by_a_dictionary(said):
    with ps.KVStore("device") as store, pytest.raises(TypeError, match="unexpected type for param_dict"):
        store.set_gradient_compression(said)


def test_a_closed_store_says_so(store):
    store.close()
    store.close()
    assert store.closed and "closed" in repr(store)
    with pytest.raises(ps.FailedPreconditionError, match="KVStore is closed"):
        store.pull(1)
