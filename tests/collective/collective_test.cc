#include "ps/collective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "ps/local_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

template <typename T>
TensorView ViewOf(std::vector<T>* values) {
  TensorView view;
  view.data = values->data();
  view.shape = {static_cast<std::int64_t>(values->size())};
  view.dtype = DTypeOf<T>::value;
  return view;
}

// Element i of rank r.
std::int64_t Element(int rank, std::size_t i) {
  return (rank + 1) * 1000003LL + static_cast<std::int64_t>(i) * 7;
}

std::vector<std::int64_t> Contribution(int rank, std::size_t count) {
  std::vector<std::int64_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = Element(rank, i);
  return values;
}

std::vector<std::int64_t> SumOf(int size, std::size_t count) {
  std::vector<std::int64_t> sum(count);
  for (int rank = 0; rank < size; ++rank)
    for (std::size_t i = 0; i < count; ++i) sum[i] += Element(rank, i);
  return sum;
}

// Of `values`, what is rank's.
std::vector<std::int64_t> PartOf(const std::vector<std::int64_t>& values, int rank, int size) {
  const auto at = [&](int r) {
    return values.begin() + static_cast<std::ptrdiff_t>(values.size() * static_cast<std::size_t>(r) /
                                                        static_cast<std::size_t>(size));
  };
  return std::vector<std::int64_t>(at(rank), at(rank + 1));
}

Status StatusOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.status();
  }
  return Status::Ok();
}

class CollectiveTest : public testing::Test {
 protected:
  // Without servers.
  static void Run(int workers, const std::function<void(Collective&)>& body) {
    LocalCluster cluster(0, workers);
    cluster.Run([&](Postoffice& node) {
      if (node.is_worker()) body(*Collective::Of(&node));
    });
  }

  Watchdog watchdog_;
};

constexpr std::size_t kCounts[] = {0, 1, 2, 3, 4, 5, 9, 64, 1023, 1024, 1025, 5000, 20000, 100003};

TEST_F(CollectiveTest, SumsOfAnyNumberOfRanksAndElements) {
  for (int size = 1; size <= 9; ++size) {
    Run(size, [size](Collective& collective) {
      EXPECT_EQ(collective.size(), size);
      for (const std::size_t count : kCounts) {
        std::vector<std::int64_t> values = Contribution(collective.rank(), count);
        collective.Allreduce(ViewOf(&values));
        EXPECT_EQ(values, SumOf(size, count)) << size << " ranks, " << count << " elements";
      }
    });
  }
}

TEST_F(CollectiveTest, TheOthersOfAnyNumberOfRanksAndElements) {
  for (int size = 1; size <= 9; ++size) {
    Run(size, [size](Collective& collective) {
      const int rank = collective.rank();
      for (const std::size_t count : kCounts) {
        const std::vector<std::int64_t> sum = SumOf(size, count);
        std::vector<std::int64_t> values = Contribution(rank, count);
        std::vector<std::int64_t> part(PartOf(values, rank, size).size());
        collective.ReduceScatter(ViewOf(&values), ViewOf(&part));
        EXPECT_EQ(part, PartOf(sum, rank, size)) << size << " ranks, " << count << " elements";
        EXPECT_EQ(values, Contribution(rank, count));
        std::vector<std::int64_t> all(count);
        collective.Allgather(ViewOf(&part), ViewOf(&all));
        EXPECT_EQ(all, sum) << size << " ranks, " << count << " elements";
        const int root = static_cast<int>(count) % size;
        collective.Broadcast(ViewOf(&values), root);
        EXPECT_EQ(values, Contribution(root, count)) << size << " ranks, " << count << " elements";
      }
    });
  }
}

TEST_F(CollectiveTest, GathersInPlace) {
  Run(3, [](Collective& collective) {
    std::vector<std::int64_t> all(3);
    all[static_cast<std::size_t>(collective.rank())] = collective.rank() + 1;
    TensorView part = ViewOf(&all);
    part.data = &all[static_cast<std::size_t>(collective.rank())];
    part.shape = {1};
    collective.Allgather(part, ViewOf(&all));
    EXPECT_EQ(all, (std::vector<std::int64_t>{1, 2, 3}));
  });
}

template <typename T>
void CheckReductions(Collective* collective) {
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kMin, ReduceOp::kMax}) {
    std::vector<T> values{static_cast<T>(collective->rank() + 1), static_cast<T>(4 - collective->rank())};
    collective->Allreduce(ViewOf(&values), op);
    const int expected = op == ReduceOp::kSum ? 6 : op == ReduceOp::kProd ? 6 : op == ReduceOp::kMin ? 1 : 3;
    EXPECT_EQ(static_cast<float>(values[0]), static_cast<float>(expected)) << static_cast<int>(op);
  }
}

TEST_F(CollectiveTest, EveryTypeAndReduction) {
  Run(3, [](Collective& collective) {
    CheckReductions<float>(&collective);
    CheckReductions<double>(&collective);
    CheckReductions<Half>(&collective);
    CheckReductions<BFloat16>(&collective);
    CheckReductions<std::int8_t>(&collective);
    CheckReductions<std::uint16_t>(&collective);
    CheckReductions<std::int32_t>(&collective);
    CheckReductions<std::uint64_t>(&collective);
  });
}

TEST_F(CollectiveTest, ABarrierIsPassedWhenAllHaveCome) {
  std::atomic<int> num_come{0};
  Run(4, [&](Collective& collective) {
    for (int i = 1; i <= 20; ++i) {
      num_come.fetch_add(1);
      collective.Barrier();
      EXPECT_GE(num_come.load(), 4 * i);
      collective.Barrier();
    }
  });
}

TEST_F(CollectiveTest, TheFunctionMeansTheNodeOfTheThread) {
  LocalCluster cluster(1, 2);
  cluster.Run([](Postoffice& node) {
    if (!node.is_worker()) return;
    float values[] = {1, 2, static_cast<float>(node.my_rank())};
    Allreduce(values, 3);
    EXPECT_EQ(values[1], 4);
    EXPECT_EQ(values[2], 1);
    EXPECT_EQ(Collective::Of().get(), Collective::Of(&node).get());
  });
}

// --- tickets ---

TEST_F(CollectiveTest, NamedOnesBeginInAnyOrder) {
  Run(3, [](Collective& collective) {
    constexpr int kNames = 20;
    for (int round = 0; round < 3; ++round) {
      std::vector<std::vector<std::int64_t>> values;
      for (int i = 0; i < kNames; ++i) values.push_back(Contribution(collective.rank(), 100 * i * i));
      std::vector<Ticket> tickets(kNames);
      for (int i = 0; i < kNames; ++i) {
        const int which = (i * 7 + collective.rank() * 5) % kNames;
        tickets[which] =
            collective.AllreduceAsync(ViewOf(&values[which]), ReduceOp::kSum, std::to_string(which));
      }
      std::vector<std::int64_t> between = Contribution(collective.rank(), 10);
      collective.Allreduce(ViewOf(&between));
      EXPECT_EQ(between, SumOf(3, 10));
      for (int i = 0; i < kNames; ++i) {
        tickets[i].Wait();
        EXPECT_TRUE(tickets[i].Done());
        EXPECT_EQ(values[i], SumOf(3, 100 * i * i));
      }
    }
  });
}

TEST_F(CollectiveTest, TicketsAreDoneWithoutAnybodyWaiting) {
  Run(2, [](Collective& collective) {
    std::vector<std::int64_t> values = Contribution(collective.rank(), 100003);
    std::promise<Status> done;
    collective.AllreduceAsync(ViewOf(&values), ReduceOp::kSum, "a").Then([&](const Status& status) {
      done.set_value(status);
    });
    EXPECT_TRUE(done.get_future().get().ok());
    EXPECT_EQ(values, SumOf(2, 100003));
  });
}

TEST_F(CollectiveTest, WaitingInAContinuationIsRefused) {
  Run(2, [](Collective& collective) {
    std::int64_t one = 1;
    TensorView view;
    view.data = &one;
    view.dtype = DType::kI64;
    std::promise<Status> done;
    collective.AllreduceAsync(view, ReduceOp::kSum, "a").Then([&](const Status&) {
      done.set_value(StatusOf([&] { collective.Barrier(); }));
    });
    EXPECT_EQ(done.get_future().get().code(), StatusCode::kFailedPrecondition);
  });
}

TEST_F(CollectiveTest, AWaitMayEndBeforeTheOperation) {
  Run(2, [](Collective& collective) {
    std::int64_t one = 1;
    TensorView view;
    view.data = &one;
    view.dtype = DType::kI64;
    if (collective.rank() == 0) {
      const Ticket ticket = collective.AllreduceAsync(view, ReduceOp::kSum, "a");
      const Status waited = ticket.WaitFor(std::chrono::milliseconds(1));
      EXPECT_EQ(waited.code(), StatusCode::kDeadlineExceeded);
      EXPECT_NE(waited.message().find("allreduce of 1 i64 (sum), \"a\": worker 1"), std::string::npos)
          << waited;
      EXPECT_NE(waited.message().find(" s, as long as was given"), std::string::npos) << waited;
      EXPECT_EQ(StatusOf([&] { collective.AllreduceAsync(view, ReduceOp::kSum, "a"); }).code(),
                StatusCode::kAlreadyExists);
      collective.Barrier();
      ticket.Wait();
    } else {
      collective.Barrier();
      collective.AllreduceAsync(view, ReduceOp::kSum, "a").Wait();
    }
    EXPECT_EQ(one, 2);
  });
}

// --- errors ---

TEST_F(CollectiveTest, WhoDiffersIsNamedEverywhereAndTheNextOneGoesOn) {
  Run(3, [](Collective& collective) {
    for (const std::size_t count : {std::size_t{10}, std::size_t{100000}}) {
      std::vector<std::int64_t> values(collective.rank() == 1 ? count : 11);
      const Status status = StatusOf([&] { collective.Allreduce(ViewOf(&values)); });
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
      EXPECT_NE(status.message().find("worker 1"), std::string::npos) << status;
      EXPECT_NE(status.message().find("allreduce of 11 i64 (sum)"), std::string::npos) << status;
      EXPECT_NE(status.message().find("allreduce of " + std::to_string(count) + " i64 (sum)"),
                std::string::npos)
          << status;
      std::int64_t one = 1;
      TensorView view;
      view.data = &one;
      view.dtype = DType::kI64;
      collective.Allreduce(view);
      EXPECT_EQ(one, 3);
    }
  });
}

TEST_F(CollectiveTest, WhoDoesNotComeIsNamed) {
  LocalClusterOptions options;
  options.servers = 0;
  options.workers = 3;
  options.config.barrier_timeout_ms = 300;
  LocalCluster cluster(options);
  ThrowIfError(cluster.Start());
  std::vector<std::thread> threads;
  std::vector<Status> outcomes(3);
  for (int rank = 0; rank < 2; ++rank)
    threads.emplace_back([&, rank] {
      outcomes[static_cast<std::size_t>(rank)] =
          StatusOf([&] { Collective::Of(&cluster.worker(rank))->Barrier(); });
    });
  for (std::thread& thread : threads) thread.join();
  for (int rank = 0; rank < 2; ++rank) {
    const Status& status = outcomes[static_cast<std::size_t>(rank)];
    EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status;
    EXPECT_NE(status.message().find("worker 2"), std::string::npos) << status;
    EXPECT_NE(status.message().find("has not come"), std::string::npos) << status;
    EXPECT_EQ(status.message().find("worker 1 (id 11) has"), std::string::npos) << status;
  }
  // Whoever comes late is told.
  outcomes[2] = StatusOf([&] { Collective::Of(&cluster.worker(2))->Barrier(); });
  EXPECT_EQ(outcomes[2].code(), StatusCode::kDeadlineExceeded);
  cluster.Close();
}

// Messages for a rank that has not come wait for PS_REQUEST_TIMEOUT only.
TEST_F(CollectiveTest, ARankMayComeMuchLater) {
  LocalClusterOptions options;
  options.servers = 0;
  options.workers = 2;
  options.config.request_timeout_ms = 500;  // what the exchange itself needs on a busy machine, and more
  LocalCluster cluster(options);
  ThrowIfError(cluster.Start());
  std::vector<std::int64_t> first = Contribution(0, 100000);
  std::vector<std::int64_t> second = Contribution(1, 100000);
  const Ticket ticket =
      Collective::Of(&cluster.worker(0))->AllreduceAsync(ViewOf(&first), ReduceOp::kSum, "a");
  EXPECT_EQ(ticket.WaitFor(std::chrono::milliseconds(1200)).code(), StatusCode::kDeadlineExceeded);
  EXPECT_FALSE(ticket.Done());
  Collective::Of(&cluster.worker(1))->AllreduceAsync(ViewOf(&second), ReduceOp::kSum, "a").Wait();
  ticket.Wait();
  EXPECT_EQ(first, SumOf(2, 100000));
  EXPECT_EQ(second, SumOf(2, 100000));
  ThrowIfError(cluster.Finalize());
}

TEST_F(CollectiveTest, WhatCanNotBeIsRefusedAtOnce) {
  Run(2, [](Collective& collective) {
    std::vector<std::int64_t> values(5);
    std::vector<std::int64_t> part(5);
    const auto code = [](const std::function<void()>& call) { return StatusOf(call).code(); };
    EXPECT_EQ(code([&] { collective.Broadcast(ViewOf(&values), 2); }), StatusCode::kInvalidArgument);
    EXPECT_EQ(code([&] { collective.Broadcast(ViewOf(&values), -1); }), StatusCode::kInvalidArgument);
    EXPECT_EQ(code([&] { collective.ReduceScatter(ViewOf(&values), ViewOf(&part)); }),
              StatusCode::kInvalidArgument);
    EXPECT_EQ(code([&] { collective.Allgather(ViewOf(&part), ViewOf(&values)); }),
              StatusCode::kInvalidArgument);
    EXPECT_EQ(code([&] { collective.AllreduceAsync(ViewOf(&values), ReduceOp::kSum, ""); }),
              StatusCode::kInvalidArgument);
    EXPECT_EQ(
        code([&] { collective.AllreduceAsync(ViewOf(&values), ReduceOp::kSum, std::string(1001, 'n')); }),
        StatusCode::kInvalidArgument);
    TensorView within = ViewOf(&values);
    within.data = &values[1];
    within.shape = {collective.rank() == 0 ? 2 : 3};
    EXPECT_EQ(code([&] { collective.ReduceScatter(ViewOf(&values), within); }), StatusCode::kInvalidArgument);
    EXPECT_EQ(code([&] { collective.Allgather(within, ViewOf(&values)); }), StatusCode::kInvalidArgument);
    TensorView bools = ViewOf(&values);
    bools.dtype = DType::kBool;
    EXPECT_EQ(code([&] { collective.Allreduce(bools); }), StatusCode::kInvalidArgument);
    TensorView no_memory = ViewOf(&values);
    no_memory.data = nullptr;
    EXPECT_EQ(code([&] { collective.Allreduce(no_memory); }), StatusCode::kInvalidArgument);
    collective.Barrier();
  });
}

TEST_F(CollectiveTest, IsForWorkersThatHaveStarted) {
  LocalCluster cluster(1, 1);
  EXPECT_EQ(StatusOf([&] { Collective::Of(&cluster.worker(0)); }).code(), StatusCode::kFailedPrecondition);
  ThrowIfError(cluster.Start());
  EXPECT_EQ(StatusOf([&] { Collective::Of(&cluster.server(0)); }).code(), StatusCode::kFailedPrecondition);
  const std::shared_ptr<Collective> collective = Collective::Of(&cluster.worker(0));
  collective->Barrier();
  ThrowIfError(cluster.Finalize());
  EXPECT_EQ(StatusOf([&] { collective->Barrier(); }).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(StatusOf([&] { Collective::Of(&cluster.worker(0)); }).code(), StatusCode::kFailedPrecondition);
}

TEST_F(CollectiveTest, ItsEndEndsWhatIsUnderWayOnAllRanks) {
  LocalCluster cluster(0, 2);
  ThrowIfError(cluster.Start());
  const std::shared_ptr<Collective> first = Collective::Of(&cluster.worker(0));
  std::vector<std::int64_t> values(100000);
  const Ticket ticket = first->AllreduceAsync(ViewOf(&values), ReduceOp::kSum, "a");
  first->Close();
  const Status ended = ticket.WaitFor(std::chrono::seconds(10));
  EXPECT_EQ(ended.code(), StatusCode::kCancelled);
  EXPECT_NE(ended.message().find("worker 0 (id 9"), std::string::npos) << ended;
  bool has_run = false;
  ticket.Then([&](const Status&) { has_run = true; });
  EXPECT_TRUE(has_run);
  const std::shared_ptr<Collective> second = Collective::Of(&cluster.worker(1));
  const Status status =
      StatusOf([&] { second->AllreduceAsync(ViewOf(&values), ReduceOp::kSum, "a").Wait(); });
  EXPECT_EQ(status.code(), StatusCode::kCancelled) << status;
  EXPECT_NE(status.message().find("worker 0 (id 9"), std::string::npos) << status;
  cluster.Close();
}

TEST_F(CollectiveTest, ANodeThatEndsEndsIt) {
  LocalCluster cluster(0, 2);
  ThrowIfError(cluster.Start());
  const std::shared_ptr<Collective> collective = Collective::Of(&cluster.worker(0));
  std::vector<std::int64_t> values(100000);
  const Ticket ticket = collective->AllreduceAsync(ViewOf(&values), ReduceOp::kSum, "a");
  std::thread blocked([&] { EXPECT_FALSE(StatusOf([&] { collective->Barrier(); }).ok()); });
  cluster.Close();
  blocked.join();
  EXPECT_FALSE(ticket.WaitFor(std::chrono::seconds(10)).ok());
}

}  // namespace
}  // namespace ps
