#include "model/test_sink.h"

#include <gtest/gtest.h>

#include <cmath>
#include <future>
#include <limits>
#include <vector>

#include "tests/support/model_arrays.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

class TestSinkTest : public testing::Test {
 protected:
  TestSinkTest() {
    TableSpec spec;
    spec.name = "w";
    spec.rows = 1;
    spec.width = 2;
    spec.updater = "sgd";
    spec.updater_options = {{"lr", ".5"}};
    sink_.Add(5, spec, {1, 2});
  }
  Tensor Take(Floats* values, bool is_lent) {
    std::promise<Result<Tensor>> came;
    sink_.Take({5, 1, Tensor::Foreign(ViewOf(values)), is_lent, 0},
               [&came](const Result<Tensor>& result) { came.set_value(result); });
    return came.get_future().get().value();
  }

  Watchdog watchdog_;
  TestSink sink_;
};

TEST_F(TestSinkTest, ResultsAreTheMergedValuesAndTheUpdaterRunsBeside) {
  Floats values{2, 4};
  const Tensor result = Take(&values, false);
  EXPECT_EQ(static_cast<const float*>(result.view().data)[1], 4);
  Floats mine{-1, -2};
  EXPECT_EQ(sink_.ErrorOf(5, ViewOf(&mine)), 0);
  mine = {-1, -3};
  EXPECT_DOUBLE_EQ(sink_.ErrorOf(5, ViewOf(&mine)), .25);
  mine = {-1, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_TRUE(std::isnan(sink_.ErrorOf(5, ViewOf(&mine))));
}

TEST_F(TestSinkTest, AResultIsNoArrayOfADevice) {
  Floats values{2, 4};
  const Tensor result = Take(&values, true);
  EXPECT_NE(result.view().data, values.data());
  EXPECT_EQ(static_cast<const float*>(result.view().data)[0], 2);
}

TEST_F(TestSinkTest, TheUpdatersValueMayBeWritten) {
  Floats mine{7, 8};
  sink_.Set(5, ViewOf(&mine));
  EXPECT_EQ(sink_.ErrorOf(5, ViewOf(&mine)), 0);
  Floats longer{7, 8, 9};
  ExpectRefused(StatusCode::kInvalidArgument, {"key 5"}, [&] { sink_.Set(5, ViewOf(&longer)); });
  std::vector<double> other{7, 8};
  ExpectRefused(StatusCode::kInvalidArgument, {"key 5"}, [&] { sink_.ErrorOf(5, ViewOf(&other)); });
}

}  // namespace
}  // namespace ps
