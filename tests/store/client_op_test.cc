#include "store/client_op.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/support/fake_server_link.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

class ClientOpTest : public testing::Test {
 protected:
  ClientOp Reading(std::vector<ClientOp::Part> parts) {
    ClientOp::Destination destination;
    destination.values = reinterpret_cast<char*>(buffer_.data());
    destination.row_bytes = 8;
    destination.row_elements = 2;
    destination.changed = &changed_;
    return ClientOp(state_, destination, std::move(parts),
                    [this](int server, const std::vector<OpReply>&) { heard_.push_back(server); });
  }
  static StoreAnswer Values(const Floats& values, std::vector<Key> places = {}) {
    StoreAnswer answer;
    answer.replies.resize(1);
    answer.replies[0].num_bytes = values.size() * sizeof(float);
    answer.replies[0].num_keys = places.size();
    answer.keys = SArray<Key>(places);
    answer.vals = SArray<char>(values.size() * sizeof(float));
    std::memcpy(answer.vals.data(), values.data(), answer.vals.size());
    return answer;
  }

  std::shared_ptr<TicketState> state_ = std::make_shared<TicketState>(std::make_shared<FakeServerLink>());
  Floats buffer_ = Floats(8, -1);
  std::vector<std::uint32_t> changed_;
  std::vector<int> heard_;
};

TEST_F(ClientOpTest, RunsOfSeveralServersLandOneBehindTheOther) {
  ClientOp op = Reading({{0, 0, false, 0, 1, {}}, {1, 0, false, 1, 2, {}}});
  EXPECT_TRUE(op.OnAnswer(1, Values({3, 4, 5, 6})).ok());
  EXPECT_TRUE(op.OnAnswer(0, Values({1, 2})).ok());
  EXPECT_EQ(buffer_, (Floats{1, 2, 3, 4, 5, 6, -1, -1}));
  EXPECT_EQ(heard_, (std::vector<int>{1, 0}));
  EXPECT_FALSE(state_->done());
  op.OnDone(Status::Ok());
  EXPECT_TRUE(state_->done());
}

TEST_F(ClientOpTest, ListedRowsLandAtTheirPlaces) {
  ClientOp op = Reading({{0, 0, false, 0, 2, {3, 1}}});
  EXPECT_TRUE(op.OnAnswer(0, Values({1, 2, 3, 4})).ok());
  EXPECT_EQ(buffer_, (Floats{-1, -1, 3, 4, -1, -1, 1, 2}));
}

TEST_F(ClientOpTest, OfADeltaReadOnlyWhatCameIsWritten) {
  ClientOp op = Reading({{0, 0, true, 1, 3, {}}});
  EXPECT_TRUE(op.OnAnswer(0, Values({5, 6}, {2})).ok());
  EXPECT_EQ(buffer_, (Floats{-1, -1, -1, -1, -1, -1, 5, 6}));
  EXPECT_EQ(changed_, std::vector<std::uint32_t>{3});
}

TEST_F(ClientOpTest, AnswersThatDoNotFitAreErrorsAndWriteNothing) {
  ClientOp run = Reading({{0, 0, false, 0, 2, {}}});
  EXPECT_EQ(run.OnAnswer(0, Values({1, 2})).code(), StatusCode::kInternal);
  ClientOp delta = Reading({{0, 0, true, 0, 2, {}}});
  EXPECT_EQ(delta.OnAnswer(0, Values({1, 2}, {2})).code(), StatusCode::kInternal);
  EXPECT_EQ(delta.OnAnswer(0, Values({1, 2, 3}, {1})).code(), StatusCode::kInternal);
  EXPECT_EQ(buffer_, Floats(8, -1));
}

TEST_F(ClientOpTest, AnErrorNamesItsServer) {
  ClientOp op = Reading({});
  StoreAnswer answer;
  answer.replies.resize(1);
  answer.replies[0].status = Status::NotFound("no such table");
  const Status failed = op.OnAnswer(1, answer);
  EXPECT_EQ(failed, Status::NotFound("server 1: no such table"));
  op.OnDone(failed);
  EXPECT_EQ(state_->Wait(nullptr), failed);
}

}  // namespace
}  // namespace ps
