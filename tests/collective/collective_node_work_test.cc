#include "collective/collective_node.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include "postoffice/binding.h"
#include "ps/collective.h"
#include "ps/local_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

Status StatusOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.status();
  }
  return Status::Ok();
}

TensorView ViewOf(std::vector<std::int64_t>* values) {
  TensorView view;
  view.data = values->data();
  view.shape = {static_cast<std::int64_t>(values->size())};
  view.dtype = DType::kI64;
  return view;
}

class CollectiveNodeWorkTest : public testing::Test {
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

TEST_F(CollectiveNodeWorkTest, EveryCloseReturnsWhenItIsClosed) {
  LocalCluster cluster(0, 1);
  ThrowIfError(cluster.Start());
  const std::shared_ptr<Collective> collective = Collective::Of(&cluster.worker(0));
  std::promise<void> is_inside, may_end;
  std::vector<std::int64_t> values(1);
  std::future<void> released = may_end.get_future();
  collective->AllreduceAsync(ViewOf(&values), ReduceOp::kSum, "a").Then([&](const Status&) {
    collective->Close();  // waits for nobody
    is_inside.set_value();
    released.wait();
  });
  is_inside.get_future().wait();
  std::vector<std::future<void>> closes;
  for (int i = 0; i < 2; ++i) closes.push_back(std::async(std::launch::async, [&] { collective->Close(); }));
  for (const std::future<void>& close : closes)
    EXPECT_EQ(close.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  may_end.set_value();
  for (const std::future<void>& close : closes) close.wait();
  cluster.Close();
}

// Where a continuation closes it, those of what ends then have no thread any more.
TEST_F(CollectiveNodeWorkTest, ContinuationsAfterTheEndMayFailAndAsk) {
  LocalCluster cluster(0, 2);
  ThrowIfError(cluster.Start());
  const std::shared_ptr<Collective> first = Collective::Of(&cluster.worker(0));
  std::vector<std::int64_t> values(1), of_second(1), others(1);
  std::promise<Status> done;
  first->AllreduceAsync(ViewOf(&others), ReduceOp::kSum, "other").Then([&](const Status&) {
    done.set_value(StatusOf([&] { first->AllreduceAsync(ViewOf(&others), ReduceOp::kSum, "more"); }));
    throw std::runtime_error("of the program");
  });
  first->AllreduceAsync(ViewOf(&values), ReduceOp::kSum, "a").Then([&](const Status&) { first->Close(); });
  Collective::Of(&cluster.worker(1))->AllreduceAsync(ViewOf(&of_second), ReduceOp::kSum, "a");
  EXPECT_EQ(done.get_future().get().code(), StatusCode::kFailedPrecondition);
  first->Close();
  cluster.Close();
}

TEST_F(CollectiveNodeWorkTest, InAnInlineHandleNothingBegins) {
  Run(1, [](Collective& collective) {
    std::vector<std::int64_t> values(1);
    SetRunsInlineHandle(true);
    const Status async =
        StatusOf([&] { collective.AllreduceAsync(ViewOf(&values), ReduceOp::kSum, "a").Wait(); });
    const Status blocking = StatusOf([&] { collective.Barrier(); });
    SetRunsInlineHandle(false);
    for (const Status& status : {async, blocking})
      EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition) << status;
    collective.Barrier();
  });
}

// Whoever hears that it is done may use its name at once.
TEST_F(CollectiveNodeWorkTest, ANameIsFreeWhenItsTicketIsDone) {
  Run(2, [](Collective& collective) {
    std::vector<std::int64_t> values(1);
    for (int i = 0; i < 1000; ++i) {
      Ticket ticket = collective.AllreduceAsync(ViewOf(&values), ReduceOp::kSum, "a");
      while (!ticket.Done()) std::this_thread::yield();
    }
  });
}

}  // namespace
}  // namespace ps
