#include "model/allreduce_sink.h"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ps/local_cluster.h"
#include "ps/postoffice.h"
#include "tests/support/model_arrays.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

// Adds 100 to what it is given.
class NextSink final : public ResultSink {
 public:
  bool keeps_value() const override { return true; }
  void Take(Merged&& merged, Done done) override {
    float value = 0;
    merged.values.CopyTo(&value);
    done(Tensor::Full({1, 1}, value + 100));
  }
  void Read(int, int, Done done) override { done(Tensor::Full({1, 1}, 7)); }
  void Close() override {}
};

Result<Tensor> Take(AllreduceSink* sink, Floats* values, std::uint64_t round) {
  std::promise<Result<Tensor>> came;
  sink->Take({0, round, Tensor::Foreign(ViewOf(values, {1, 1})), true, 0},
             [&came](const Result<Tensor>& result) { came.set_value(result); });
  return came.get_future().get();
}

float ValueOf(const Result<Tensor>& result) {
  float value = -1;
  result.value().CopyTo(&value);
  return value;
}

class AllreduceSinkTest : public testing::Test {
 protected:
  // On each of two workers; servers there are none.
  static void Run(const std::function<void(Postoffice&)>& program, std::int64_t timeout_ms = 600000) {
    LocalClusterOptions options;
    options.servers = 0;
    options.workers = 2;
    options.config.barrier_timeout_ms = timeout_ms;
    LocalCluster cluster(options);
    cluster.RunProgram([&](Postoffice& node) {
      node.Start(0, nullptr, true);
      if (node.is_worker()) program(node);
      node.Finalize(0, true);
    });
  }

  Watchdog watchdog_;
};

TEST_F(AllreduceSinkTest, SumsOrMeansWithoutTouchingADevicesArray) {
  for (const bool mean : {false, true}) {
    Run([mean](Postoffice& node) {
      AllreduceSink sink(Collective::Of(&node), {"m", mean}, nullptr);
      EXPECT_FALSE(sink.keeps_value());
      for (std::uint64_t round = 1; round <= 5; ++round) {
        Floats mine{static_cast<float>(node.my_rank() + 1)};
        const Floats before = mine;
        EXPECT_EQ(ValueOf(Take(&sink, &mine, round)), mean ? 1.5F : 3);
        EXPECT_EQ(mine, before);
      }
      sink.Close();
    });
  }
}

TEST_F(AllreduceSinkTest, TheNextSinkGetsTheSum) {
  Run([](Postoffice& node) {
    AllreduceSink sink(Collective::Of(&node), {"m", false}, std::make_unique<NextSink>());
    EXPECT_TRUE(sink.keeps_value());
    Floats mine{1};
    EXPECT_EQ(ValueOf(Take(&sink, &mine, 1)), 102);
    std::promise<Result<Tensor>> read;
    sink.Read(0, 0, [&read](const Result<Tensor>& result) { read.set_value(result); });
    EXPECT_EQ(ValueOf(read.get_future().get()), 7);
    sink.Close();
  });
}

TEST_F(AllreduceSinkTest, WhatHasNoMeanIsAnErrorOfTheRound) {
  Run([](Postoffice& node) {
    AllreduceSink sink(Collective::Of(&node), {"m", true}, nullptr);
    std::vector<std::int32_t> mine{1};
    std::promise<Result<Tensor>> came;
    sink.Take({0, 1, Tensor::Foreign(ViewOf(&mine, {1, 1})), true, 0},
              [&came](const Result<Tensor>& result) { came.set_value(result); });
    EXPECT_EQ(came.get_future().get().status().code(), StatusCode::kInvalidArgument);
    sink.Close();
  });
}

TEST_F(AllreduceSinkTest, AWorkerThatSkipsARoundIsMissedInThatOneOnly) {
  Run(
      [](Postoffice& node) {
        AllreduceSink sink(Collective::Of(&node), {"m", false}, nullptr);
        Floats mine{1};
        EXPECT_EQ(ValueOf(Take(&sink, &mine, 1)), 2);
        std::promise<Status> missed;
        if (node.my_rank() == 0) {
          sink.Take({0, 2, Tensor::Foreign(ViewOf(&mine, {1, 1})), true, 0},
                    [&missed](const Result<Tensor>& result) { missed.set_value(result.status()); });
        }
        for (std::uint64_t round = 3; round <= 8; ++round) {
          mine[0] = static_cast<float>(round);
          EXPECT_EQ(ValueOf(Take(&sink, &mine, round)), 2 * mine[0]);
        }
        if (node.my_rank() == 0) {
          const Status why = missed.get_future().get();
          EXPECT_EQ(why.code(), StatusCode::kDeadlineExceeded) << why;
          for (const char* part : {"sm/m/0/2", "worker 1"})
            EXPECT_NE(why.message().find(part), std::string::npos) << why;
        }
        sink.Close();
      },
      2000);
}

TEST_F(AllreduceSinkTest, WorkersWhoseScalesDifferHearBoth) {
  Run([](Postoffice& node) {
    AllreduceSink sink(Collective::Of(&node), {"m", node.my_rank() == 1}, nullptr);
    Floats mine{1};
    for (const std::uint64_t round : {1, 2, 3}) {  // none of them is right
      const Status differs = Take(&sink, &mine, round).status();
      EXPECT_EQ(differs.code(), StatusCode::kInvalidArgument) << differs;
      for (const char* part : {"scale=mean", "scale=sum"})
        EXPECT_NE(differs.message().find(part), std::string::npos) << differs;
    }
    sink.Close();
  });
}

TEST_F(AllreduceSinkTest, WhileNobodyKnowsWhetherScalesDifferThereAreNoResults) {
  std::promise<void> missed;
  const std::shared_future<void> after_missed = missed.get_future().share();
  Run(
      [&](Postoffice& node) {
        AllreduceSink sink(Collective::Of(&node), {"m", node.my_rank() == 1}, nullptr);
        Floats mine{1};
        if (node.my_rank() == 0) {  // alone: the other one's first round has failed, say
          EXPECT_EQ(Take(&sink, &mine, 1).status().code(), StatusCode::kDeadlineExceeded);
          missed.set_value();
        }
        after_missed.wait();
        for (const std::uint64_t round : {2, 3}) {
          const Status unknown = Take(&sink, &mine, round).status();
          EXPECT_EQ(unknown.code(), StatusCode::kDeadlineExceeded) << unknown;
          for (const char* part : {"same scale", "sm/m/0/scale"})
            EXPECT_NE(unknown.message().find(part), std::string::npos) << unknown;
        }
        sink.Close();
      },
      1000);
}

}  // namespace
}  // namespace ps
