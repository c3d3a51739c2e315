#include "ps/table_core.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "ps/table.h"
#include "tests/support/store_world.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

Status StatusOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.status();
  }
  return Status::Ok();
}

class TableCoreTest : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, TableCoreTest, EveryWay(), NameOfWay);

TEST_P(TableCoreTest, WhoMeansAnotherTableByTheNameIsToldWhatDiffers) {
  StoreWorld world(GetParam(), 2, 2);
  ArrayTable<float> table(world[0], ArrayOptions().Name("w").Size(10));
  const struct {
    const char* what;
    std::function<void()> create;
  } others[] = {
      {"rows", [&] { ArrayTable<float>(world[1], ArrayOptions().Name("w").Size(11)); }},
      {"dtype", [&] { ArrayTable<double>(world[1], ArrayOptions().Name("w").Size(10)); }},
      {"width", [&] { MatrixTable<float>(world[1], MatrixOptions().Name("w").Rows(10).Cols(2)); }},
      {"kind", [&] { KVTable<float>(world[1], KVOptions().Name("w")); }},
      {"updater", [&] { ArrayTable<float>(world[1], ArrayOptions().Name("w").Size(10).Updater("sgd")); }},
  };
  for (const auto& other : others) {
    const Status refused = StatusOf(other.create);
    EXPECT_EQ(refused.code(), StatusCode::kAlreadyExists) << other.what;
    EXPECT_NE(refused.message().find(other.what), std::string::npos) << refused;
  }
  ArrayTable<float> same(world[1], ArrayOptions().Name("w").Size(10));
  same.Add(Floats(10, 1));
  Floats read;
  table.Get(&read);
  EXPECT_EQ(read, Floats(10, 1)) << "the servers live";
}

TEST_P(TableCoreTest, WhatNoTableCanBeIsRefused) {
  StoreWorld world(GetParam(), 1, 1);
  const std::function<void()> wrong[] = {
      [&] { ArrayTable<float>(world[0], ArrayOptions().Size(10)); },
      [&] { ArrayTable<float>(world[0], ArrayOptions().Name("w").Size(-1)); },
      [&] { MatrixTable<float>(world[0], MatrixOptions().Name("w").Rows(3).Cols(0)); },
      [&] { MatrixTable<float>(world[0], MatrixOptions().Name("w").Rows(3).Cols(1).Buffers(0)); },
      [&] { ArrayTable<int>(world[0], ArrayOptions().Name("w").Size(10).Updater("adam")); },
  };
  for (const auto& create : wrong) EXPECT_EQ(StatusOf(create).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(
      StatusOf([&] { ArrayTable<int>(world[0], ArrayOptions().Name("x").Size(1).Updater("sdg")); }).code(),
      StatusCode::kNotFound);
}

TEST_P(TableCoreTest, ValuesMayBeLentAndAreThenOwnedByTheTicket) {
  StoreWorld world(GetParam(), 2, 1);
  ArrayTable<float> table(world[0], ArrayOptions().Name("w").Size(1000));
  auto values = std::make_shared<Floats>(1000, 2.0F);
  const std::weak_ptr<Floats> alive = values;
  TableAddOptions lent;
  lent.borrow = true;
  lent.keep = values;
  const Ticket ticket = table.AddAsync({values->data(), values->size()}, lent);
  lent.keep = nullptr;
  values = nullptr;
  ticket.Wait();
  Floats read;
  table.GetAsync(&read).Wait();
  EXPECT_EQ(read, Floats(1000, 2));
  EXPECT_TRUE(alive.expired());
}

TEST_P(TableCoreTest, AReadUnderWayOutlivesItsTable) {
  StoreWorld world(GetParam(), 2, 2);
  const MatrixOptions options =
      MatrixOptions().Name("m").Rows(6).Cols(2).Mode(Consistency::Bsp()).Delta().Buffers(2);
  MatrixTable<float> other(world[1], options);
  Floats read(12, -1);
  auto table = std::make_unique<MatrixTable<float>>(world[0], options);
  table->AddAsync(Floats(12, 1));
  const Ticket ticket = table->GetAsync(&read);
  table = nullptr;
  EXPECT_FALSE(ticket.Done()) << "it waits for the other worker";
  other.Add(Floats(12, 1));
  ticket.Wait();
  EXPECT_EQ(read, Floats(12, 2));
}

TEST_P(TableCoreTest, AWaitThatIsRefusedBeginsNothing) {
  StoreWorld world(GetParam(), 2, 1);
  MatrixTable<float> table(world[0], MatrixOptions().Name("m").Rows(4).Cols(1).Delta());
  Floats read(4, -1);
  std::promise<StatusCode> inside;
  table.AddAsync(Floats(4, 1)).Then([&](const Status&) {
    inside.set_value(StatusOf([&] { table.Get({read.data(), read.size()}); }).code());
  });
  EXPECT_EQ(inside.get_future().get(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(read, Floats(4, -1));
}

// The rule that the table has now is the servers' to know.
TEST_P(TableCoreTest, OptionsOfACallAreThoseOfTheRule) {
  StoreWorld world(GetParam(), 2, 1);
  ArrayTable<float> table(world[0], ArrayOptions().Name("w").Size(3).Updater("sgd"));
  TableAddOptions options;
  options.momentum = 0.5;
  const Status refused = StatusOf([&] { table.Add(Floats(3, 1), options); });
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(refused.message().find("momentum"), std::string::npos) << refused;
  EXPECT_NE(refused.message().find("table 'w'"), std::string::npos) << refused;
  Floats read;
  table.Get(&read);
  EXPECT_EQ(read, Floats(3, 0)) << "refused before anything was sent";
}

}  // namespace
}  // namespace ps
