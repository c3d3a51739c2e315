#include "device/updates.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/support/kernel_fixture.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

class UpdatesTest : public KernelTest {
 protected:
  // Two steps of `rule` over arrays of `size`, against the rule one element at a time.
  template <typename Rule>
  void Check(const Rule& rule, std::size_t size) {
    constexpr auto kStates = static_cast<std::size_t>(Rule::kStates);
    Floats values = RandomElements<float>(size, 1);
    const Floats contribution = RandomElements<float>(size, 2);
    std::vector<Floats> states(kStates, Floats(size, .25F));
    const Placed<float> placed(device_, values);
    const Placed<float> delta(device_, contribution);
    std::vector<std::unique_ptr<Placed<float>>> placed_states;
    std::vector<float*> state_data;
    for (const Floats& state : states) {
      placed_states.push_back(std::make_unique<Placed<float>>(device_, state));
      state_data.push_back(placed_states.back()->data());
    }
    for (int step = 0; step < 2; ++step) {
      ASSERT_TRUE(Update(stream_.get(), rule, placed.View(), delta.data(), state_data).ok());
      for (std::size_t i = 0; i < size; ++i) {
        std::array<float, kStates + 1> of_element{};
        for (std::size_t k = 0; k < kStates; ++k) of_element[k] = states[k][i];
        One(rule, &values[i], contribution[i], of_element.data(), std::make_index_sequence<kStates>());
        for (std::size_t k = 0; k < kStates; ++k) states[k][i] = of_element[k];
      }
    }
    Synchronize();
    EXPECT_TRUE(SameBits(placed.Read(), values));
    for (std::size_t k = 0; k < kStates; ++k) EXPECT_TRUE(SameBits(placed_states[k]->Read(), states[k])) << k;
  }
  template <typename Rule, std::size_t... k>
  static void One(const Rule& rule, float* value, float contribution, float* states,
                  std::index_sequence<k...>) {
    static_cast<void>(states);
    rule(*value, contribution, states[k]...);
  }
  template <typename Rule>
  void CheckAll(const Rule& rule) {
    for (const std::size_t size : kSizes) Check(rule, size);
  }

  const rules::Gradient<float> gradient_ = {.5F, 60, .01F};
};

TEST_P(UpdatesTest, SumsAndDescents) {
  CheckAll(rules::Assign<float>());
  CheckAll(rules::Add<float>());
  CheckAll(rules::AddScaled<float>{-.1F});
  CheckAll(rules::Sgd<float>{gradient_, .1F});
  CheckAll(rules::Momentum<float>{gradient_, .1F, .9F});
  CheckAll(rules::Nag<float>{gradient_, .1F, .9F});
  CheckAll(rules::Smooth<float>{.9F});
}

TEST_P(UpdatesTest, AdaptiveRates) {
  const rules::Moments<float> moments = {.9F, .999F};
  CheckAll(rules::Adam<float>{gradient_, moments, .001F, 1e-8F});
  CheckAll(rules::AdamW<float>{gradient_, moments, .001F, 1e-6F, 1e-5F});
  CheckAll(rules::AdaGrad<float>{gradient_, .01F, 1e-6F});
  CheckAll(rules::AdaGradWorker<float>{.1F, .1F, 1e-6F});
  CheckAll(rules::RmsProp<float>{gradient_, .001F, .9F, 1e-8F});
  CheckAll(rules::Ftrl<float>{gradient_, .1F, 1, .01F, .01F});
  CheckAll(rules::DcAsgd<float>{.1F, .04F});
}

TEST_P(UpdatesTest, AdamMovesAsItShould) {
  const Placed<float> weight(device_, {1});
  const Placed<float> delta(device_, {.5F});
  const Placed<float> mean(device_, {0});
  const Placed<float> square(device_, {0});
  const rules::Gradient<float> plain = {1, std::numeric_limits<float>::infinity(), 0};
  const float lr = .001F * std::sqrt(1 - .999F) / (1 - .9F);
  ASSERT_TRUE(Update(stream_.get(), rules::Adam<float>{plain, {.9F, .999F}, lr, 1e-8F}, weight.View(),
                     delta.data(), {mean.data(), square.data()})
                  .ok());
  Synchronize();
  EXPECT_NEAR(weight.Read()[0], .999000013F, 1e-6);  // V177
}

TEST_P(UpdatesTest, WhatDoesNotFitIsRefusedAtOnce) {
  const Placed<float> values(device_, {1});
  const Placed<Half> halves(device_, std::vector<Half>(1));
  EXPECT_EQ(Update(stream_.get(), rules::Smooth<float>{.9F}, values.View(), values.data(), {}).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(Update(stream_.get(), rules::Add<float>(), halves.View(), values.data(), {}).code(),
            StatusCode::kInvalidArgument);
}

PS_ON_ALL_DEVICES(UpdatesTest);

}  // namespace
}  // namespace ps
