#include "model/table_sink.h"

#include <gtest/gtest.h>

#include <future>
#include <vector>

#include "ps/local_cluster.h"
#include "ps/postoffice.h"
#include "ps/run_server.h"
#include "tests/support/model_arrays.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

TableSpec SpecOf(const std::string& name) {
  TableSpec spec;
  spec.name = name;
  spec.rows = 1;
  spec.width = 2;
  return spec;
}

class TableSinkTest : public testing::Test {
 protected:
  static Floats ValuesOf(const Tensor& tensor) {
    Floats values(2);
    tensor.CopyTo(values.data());
    return values;
  }
  // Hands a value in, and waits for what comes.
  static Floats Take(TableSink* sink, Floats values, bool is_lent, std::uint64_t round = 1) {
    std::promise<Result<Tensor>> came;
    sink->Take({5, round, Tensor::Foreign(ViewOf(&values)), is_lent, 0},
               [&came](const Result<Tensor>& result) { came.set_value(result); });
    return ValuesOf(came.get_future().get().value());
  }
  static Floats Read(TableSink* sink) {
    std::promise<Result<Tensor>> came;
    sink->Read(5, 0, [&came](const Result<Tensor>& result) { came.set_value(result); });
    return ValuesOf(came.get_future().get().value());
  }

  Watchdog watchdog_;
};

TEST_F(TableSinkTest, ResultsAreTheTablesValues) {
  TableSink sink;
  sink.Add(5, SpecOf("w"), {1, 2}, true);
  EXPECT_EQ(Read(&sink), (Floats{0, 0}));
  EXPECT_EQ(Take(&sink, {1, 2}, false), (Floats{1, 2}));
  EXPECT_EQ(Take(&sink, {1, 2}, true), (Floats{2, 4}));
  const Floats set{8, 9};
  sink.Set(5, set.data());
  EXPECT_EQ(ValuesOf(sink.Get(5)), set);
  EXPECT_EQ(Read(&sink), set);
}

TEST_F(TableSinkTest, AKeyWithoutATableIsAnError) {
  TableSink sink;
  ExpectRefused(StatusCode::kNotFound, {"key 5", "InitKey"}, [&] { sink.Get(5); });
}

TEST_F(TableSinkTest, AfterTheEndThereAreErrors) {
  TableSink sink;
  sink.Add(5, SpecOf("w"), {1, 2}, false);
  sink.Close();
  sink.Close();
  EXPECT_THROW(Take(&sink, {1, 2}, true), Error);
}

TEST_F(TableSinkTest, AtServersALentValueIsGivenBackBeforeARoundOfOthersEnds) {
  LocalCluster cluster(1, 2);
  std::promise<void> closed;
  std::shared_future<void> after_close = closed.get_future().share();
  cluster.RunProgram([&](Postoffice& node) {
    if (!node.is_worker()) return RunServer();
    TableSpec spec = SpecOf("w");
    spec.consistency = Consistency::Bsp();
    spec.apply = TableSpec::kMerged;
    spec.updater = "assign";
    const std::shared_ptr<SharedStore> store = SharedStore::Of(&node);
    TableSink sink(store);
    sink.Add(5, spec, {1, 2}, false);
    if (node.my_rank() == 1) return after_close.wait();
    Floats values{1, 2};
    sink.Take({5, 1, Tensor::Foreign(ViewOf(&values)), true, 0}, [](const Result<Tensor>&) {});
    sink.Close();  // the other worker contributes nothing, and this returns all the same
    closed.set_value();
  });
}

TEST_F(TableSinkTest, AtServersARoundThatWasSkippedIsNotMadeUpForByTheNext) {
  for (const Consistency mode : {Consistency::Bsp(), Consistency::Asp()}) {
    LocalCluster cluster(1, 1);
    cluster.RunProgram([&](Postoffice& node) {
      if (!node.is_worker()) return RunServer();
      TableSpec spec = SpecOf("w");
      const bool is_bsp = mode.mode == Consistency::kBsp;
      spec.consistency = mode;
      spec.apply = is_bsp ? TableSpec::kMerged : TableSpec::kEach;
      spec.updater = is_bsp ? "assign" : "add";
      TableSink sink(SharedStore::Of(&node));
      sink.Add(5, spec, {1, 2}, false);
      EXPECT_EQ(Take(&sink, {1, 2}, false), (Floats{1, 2}));
      if (!is_bsp) {
        EXPECT_EQ(Take(&sink, {1, 2}, false, 3), (Floats{2, 4}));
        return;
      }
      for (const std::uint64_t round : {3, 4})
        ExpectRefused(StatusCode::kFailedPrecondition, {"round 2", "mode=bsp"}, [&] {
          Take(&sink, {1, 2}, false, round);
        });
    });
  }
}

TEST_F(TableSinkTest, AtServersARoundThatCouldNotBeSentIsNotMadeUpForByTheNext) {
  for (const bool is_lent : {false, true}) {
    LocalCluster cluster(1, 1);
    cluster.RunProgram([&](Postoffice& node) {
      if (!node.is_worker()) return RunServer();
      TableSpec spec = SpecOf("w");
      spec.consistency = Consistency::Bsp();
      spec.apply = TableSpec::kMerged;
      spec.updater = "assign";
      TableSink sink(SharedStore::Of(&node));
      sink.Add(5, spec, {1, 2}, false);
      EXPECT_EQ(Take(&sink, {1, 2}, is_lent), (Floats{1, 2}));
      ExpectRefused(StatusCode::kInvalidArgument, {"no values"}, [&] {
        sink.Take({5, 2, Tensor(), is_lent, 0}, [](const Result<Tensor>&) {});
      });
      ExpectRefused(StatusCode::kFailedPrecondition, {"round 2", "mode=bsp"}, [&] {
        Take(&sink, {1, 2}, is_lent, 3);
      });
    });
  }
}

}  // namespace
}  // namespace ps
