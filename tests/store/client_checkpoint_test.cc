#include "store/client_checkpoint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "store/checkpoint/manifest.h"
#include "tests/support/fake_server_link.h"
#include "tests/support/job.h"

namespace ps {
namespace {

class ClientCheckpointTest : public testing::Test {
 protected:
  void SetUp() override { folder_ = NewFolder("client_checkpoint"); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Begin(int keep = 1) {
    ThrowIfError(ClientCheckpoint(link_).Begin(
        folder_, {}, keep, [this](const Result<std::uint64_t>& step) { steps_.push_back(step); }));
  }
  // Each server answers with `text`, or with an empty file of its own.
  void Answer(const std::string* text = nullptr) {
    FakeServerLink::Sent& sent = *link_->sent.back();
    for (const ServerLink::Addressed& request : sent.requests) {
      ShardFile file;
      file.server = request.server;
      file.bytes = 100;
      StoreAnswer answer;
      answer.replies.resize(request.request.ops.size());
      answer.replies[0].text = text != nullptr ? *text : EncodeShardFile(file);
      (void)sent.sink->OnAnswer(request.server, answer);
    }
    sent.End(Status::Ok());
    RunPosted();
  }
  void RunPosted() {
    for (const auto& code : link_->posted) code();
    link_->posted.clear();
  }

  std::shared_ptr<FakeServerLink> link_ = std::make_shared<FakeServerLink>();
  std::string folder_;
  std::vector<Result<std::uint64_t>> steps_;
};

TEST_F(ClientCheckpointTest, IsThereWhenEveryServerHasItsFile) {
  Begin();
  EXPECT_EQ(link_->sent.back()->requests[0].request.ops[0].text, folder_);
  EXPECT_EQ(ClientCheckpoint::Newest(folder_).status().code(), StatusCode::kNotFound);
  Answer();
  ASSERT_EQ(steps_.size(), 1u);
  EXPECT_EQ(steps_[0].value(), 1u);
  EXPECT_EQ(ClientCheckpoint::Newest(folder_).value(), 1u);
}

TEST_F(ClientCheckpointTest, EachIsAStepOfItsOwnAndOldOnesGo) {
  for (std::uint64_t step = 1; step <= 3; ++step) {
    Begin();
    Answer();
    EXPECT_EQ(steps_.back().value(), step);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/2"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/3/MANIFEST"));
}

TEST_F(ClientCheckpointTest, WhereAServerFailsThereIsNone) {
  Begin();
  link_->sent.back()->End(Status::ResourceExhausted("disk full"));
  RunPosted();
  ASSERT_EQ(steps_.size(), 1u);
  EXPECT_EQ(steps_[0].status().message(), "disk full");
  EXPECT_FALSE(ClientCheckpoint::Newest(folder_).ok());
}

TEST_F(ClientCheckpointTest, AnAnswerThatIsNoFileFailsIt) {
  Begin();
  const std::string nonsense = "nonsense";
  Answer(&nonsense);
  ASSERT_EQ(steps_.size(), 1u);
  EXPECT_EQ(steps_[0].status().code(), StatusCode::kInvalidArgument);
}

TEST_F(ClientCheckpointTest, AtLeastOneIsKept) {
  EXPECT_EQ(ClientCheckpoint(link_).Begin(folder_, {}, 0, [](const Result<std::uint64_t>&) {}).code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ps
