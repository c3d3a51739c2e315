#include "store/client_table.h"

#include <gtest/gtest.h>

#include <limits>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/fake_server_link.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

// A table of 6 rows on two servers (0 to 2 and 3 to 5), and what it sends.
class ClientTableTest : public testing::Test {
 protected:
  void Make(const Consistency& consistency, bool auto_close = true) {
    table_ = SixRowTable(link_, consistency, auto_close);
  }
  void Add(const std::vector<std::uint64_t>& rows) {
    const Floats values(rows.size(), 1);
    ClientTable::Call call;
    call.code = OpCode::kAdd;
    call.rows = Rows::Of(rows);
    call.values = values.data();
    table_->Issue(call);
  }
  // The operations that the last call sent, by server; empty: none.
  std::vector<Op> Sent(int server) {
    for (const ServerLink::Addressed& addressed : link_->sent.back()->requests) {
      if (addressed.server == server) return addressed.request.ops;
    }
    return {};
  }

  std::shared_ptr<FakeServerLink> link_ = std::make_shared<FakeServerLink>();
  std::shared_ptr<ClientTable> table_;
};

TEST_F(ClientTableTest, AContributionGoesToTheServersOfItsRowsAndTheOthersAreTold) {
  Make(Consistency::Bsp());
  Add({4, 5});
  ASSERT_EQ(Sent(1).size(), 1u);
  EXPECT_EQ(Sent(1)[0].code, OpCode::kAdd);
  EXPECT_EQ(Sent(1)[0].round, 1u);
  EXPECT_EQ(Sent(1)[0].num_keys, 2u);
  ASSERT_EQ(Sent(0).size(), 1u);
  EXPECT_EQ(Sent(0)[0].code, OpCode::kClose);
  EXPECT_EQ(Sent(0)[0].parts, 0u);
  EXPECT_EQ(Sent(0)[0].round, 1u);
}

TEST_F(ClientTableTest, AContributionWithoutRowsEndsARoundAllTheSame) {
  Make(Consistency::Bsp());
  Add({});
  EXPECT_EQ(Sent(0)[0].code, OpCode::kClose);
  EXPECT_EQ(Sent(0)[0].round, 1u);
  EXPECT_EQ(Sent(1)[0].round, 1u);
}

TEST_F(ClientTableTest, AnAsynchronousOneTellsNobodyElse) {
  Make(Consistency::Asp());
  Add({4, 5});
  EXPECT_TRUE(Sent(0).empty());
}

TEST_F(ClientTableTest, CloseSaysHowManyPartsEachServerGot) {
  Make(Consistency::Bsp(), false);
  Add({0, 5});
  Add({5});
  EXPECT_EQ(Sent(1)[0].round, 1u);
  EXPECT_FALSE((Sent(1)[0].flags & Op::kAuto) != 0);
  table_->CloseRound();
  EXPECT_EQ(Sent(0)[0].parts, 1u);
  EXPECT_EQ(Sent(1)[0].parts, 2u);
}

TEST_F(ClientTableTest, ValuesAreCopiedUnlessTheyAreLent) {
  Make(Consistency::Asp());
  Floats values(6, 1);
  for (const bool borrow : {false, true}) {
    ClientTable::Call call;
    call.code = OpCode::kAdd;
    call.values = values.data();
    call.borrow = borrow;
    table_->Issue(call);
    const char* const sent = link_->sent.back()->requests[0].request.vals.data();
    EXPECT_EQ(sent == reinterpret_cast<const char*>(values.data()), borrow);
  }
}

TEST_F(ClientTableTest, WhatCannotBeIsRefusedBeforeAnythingIsSent) {
  Make(Consistency::Bsp(), false);
  ClientTable::Call call;
  call.code = OpCode::kAdd;
  EXPECT_THROW(table_->Issue(call), Error) << "no values";
  call.code = OpCode::kGet;
  EXPECT_THROW(table_->Issue(call), Error) << "no buffer";
  float value = 0;
  call.code = OpCode::kAddGet;
  call.values = call.to = &value;
  EXPECT_THROW(table_->Issue(call), Error) << "no auto_close";
  EXPECT_THROW(Add({6}), Error) << "no such row";
  Make(Consistency::Bsp());
  EXPECT_THROW(table_->CloseRound(), Error) << "auto_close";
  EXPECT_TRUE(link_->sent.empty());
}

TEST_F(ClientTableTest, WhatIsTooLargeForAMessageIsRefusedByNameAndIsNoRound) {
  link_->set_message_limit(150);
  Make(Consistency::Bsp());
  Floats values(20, 1);
  const std::vector<std::uint64_t> rows{0, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5};
  for (const OpCode code : {OpCode::kAdd, OpCode::kGet, OpCode::kAddGet, OpCode::kSet}) {
    ClientTable::Call call;
    call.code = code;
    call.rows = Rows::Of(rows);
    call.values = call.to = values.data();
    try {
      table_->Issue(call);
      ADD_FAILURE() << "nothing was wrong with operation " << static_cast<int>(code);
    } catch (const Error& error) {
      EXPECT_EQ(error.status().code(), StatusCode::kResourceExhausted);
      for (const char* part : {"table 'w'", "server 1", "bytes", "PS_MAX_MESSAGE_BYTES=150"})
        EXPECT_NE(error.status().message().find(part), std::string::npos) << error.status();
    }
  }
  EXPECT_TRUE(link_->sent.empty());
  Add({0, 4});
  EXPECT_EQ(Sent(0)[0].round, 1u);
}

TEST_F(ClientTableTest, AnAnswerThatIsTooLargeForAMessageIsNotAskedFor) {
  link_->set_message_limit(200);
  TableSpec spec;
  spec.name = "w";
  spec.rows = 2;
  spec.width = 100;
  spec.consistency = Consistency::Bsp();
  table_ =
      ClientTable::Make({link_, std::make_shared<Unacknowledged>(), nullptr}, spec, false, {0, 0}).value();
  Floats values(200);
  ClientTable::Call call;
  call.code = OpCode::kGet;
  call.to = values.data();
  EXPECT_THROW(table_->Issue(call), Error);
  // Of what has changed nobody knows yet how much it is.
  ReadMemory memory;
  call.memory = &memory;
  table_->Issue(call);
  EXPECT_EQ(link_->sent.size(), 1u);
}

TEST_F(ClientTableTest, AFailedEncodingIsNoRound) {
  TableSpec spec;
  spec.name = "w";
  spec.rows = 6;
  spec.min_split = 0;
  spec.consistency = Consistency::Bsp();
  spec.push_codec = {"2bit", 0.5};
  table_ =
      ClientTable::Make({link_, std::make_shared<Unacknowledged>(), nullptr}, spec, false, {0, 0}).value();
  Floats values(6, 1);
  values[2] = std::numeric_limits<float>::quiet_NaN();
  ClientTable::Call call;
  call.code = OpCode::kAdd;
  call.values = values.data();
  EXPECT_THROW(table_->Issue(call), Error);
  values[2] = 1;
  table_->Issue(call);
  EXPECT_EQ(Sent(0)[0].round, 1u);
}

}  // namespace
}  // namespace ps
