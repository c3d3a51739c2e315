#include "store/contribution.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace ps {
namespace {

using Floats = std::vector<float>;

// A dense table of 300,000 rows in as many slots as there are lanes.
class ContributionTest : public testing::Test {
 protected:
  static constexpr std::size_t kRows = 300000;

  void MakeSlots(int lanes) {
    TableSpec spec;
    spec.name = "w";
    spec.rows = kRows;
    TableSlots::Place place;
    place.range = Range(0, kRows);
    place.num_lanes = lanes;
    slots_ = TableSlots::Make(spec, place).value();
  }
  std::unique_ptr<Contribution> Make(const Floats& values, const std::vector<Key>& keys, bool is_borrowed) {
    memory_ = values;
    auto reply = std::make_shared<Reply>(1, [this](StoreAnswer&& answer) {
      ++num_answers_;
      status_ = answer.replies[0].status;
    });
    keys_ = SArray<Key>(keys);
    auto contribution = std::make_unique<Contribution>(
        reply, 0, keys_,
        SArray<char>(reinterpret_cast<char*>(memory_.data()), memory_.size() * sizeof(float)), is_borrowed);
    contribution->ShareOut(*slots_, keys.empty() ? slots_->all() : RowSet::List(keys_.data(), keys_.size()),
                           sizeof(float));
    return contribution;
  }
  static Floats At(Contribution* contribution, std::size_t slot) {
    Floats values(contribution->rows(slot).count);
    std::memcpy(values.data(), contribution->values(slot), values.size() * sizeof(float));
    return values;
  }

  std::unique_ptr<TableSlots> slots_;
  Floats memory_;
  SArray<Key> keys_;
  int num_answers_ = 0;
  Status status_;
};

TEST_F(ContributionTest, OneSlotTakesAllInPlace) {
  MakeSlots(1);
  const auto contribution = Make({1, 2}, {9, 4}, true);
  ASSERT_EQ(contribution->num_shares(), 1u);
  EXPECT_EQ(contribution->values(0), reinterpret_cast<const char*>(memory_.data()));
}

TEST_F(ContributionTest, SeveralSlotsGetTheirRows) {
  MakeSlots(3);
  ASSERT_EQ(slots_->size(), 3u);
  const auto contribution = Make({1, 2, 3, 4}, {299999, 5, 150000, 6}, true);
  EXPECT_EQ(At(contribution.get(), 0), (Floats{2, 4}));
  EXPECT_EQ(At(contribution.get(), 1), Floats{3});
  EXPECT_EQ(At(contribution.get(), 2), Floats{1});
}

TEST_F(ContributionTest, ItsSenderIsToldWhenEverySlotHasTakenItsShare) {
  MakeSlots(3);
  const auto contribution = Make({1, 2}, {0, 299999}, true);
  EXPECT_FALSE(contribution->HasShare(1));
  contribution->Acknowledge(0);
  contribution->Acknowledge(0);
  EXPECT_EQ(num_answers_, 0);
  contribution->Fail(Status::ResourceExhausted("full"));
  contribution->Acknowledge(2);
  EXPECT_EQ(num_answers_, 1);
  EXPECT_EQ(status_.code(), StatusCode::kResourceExhausted);
}

TEST_F(ContributionTest, KeptItNeedsNothingOfTheSenders) {
  for (const int lanes : {1, 3}) {
    MakeSlots(lanes);
    const auto contribution = Make(Floats(kRows, 7), {}, true);
    for (std::size_t slot = 0; slot < contribution->num_shares(); ++slot) contribution->Keep(slot);
    memory_.assign(kRows, -1);
    for (std::size_t slot = 0; slot < contribution->num_shares(); ++slot)
      EXPECT_EQ(At(contribution.get(), slot), Floats(contribution->rows(slot).count, 7));
  }
}

TEST_F(ContributionTest, WhatIsItsOwnIsNotCopied) {
  MakeSlots(1);
  const auto contribution = Make({1, 2}, {9, 4}, false);
  contribution->Keep(0);
  EXPECT_EQ(contribution->values(0), reinterpret_cast<const char*>(memory_.data()));
}

}  // namespace
}  // namespace ps
