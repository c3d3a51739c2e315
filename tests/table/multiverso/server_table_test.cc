#include "ps/multiverso/server_table.h"

#include <dmlc/memory_io.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace multiverso {
namespace {

// Joins texts.
class Words : public ServerTable {
 public:
  void ProcessAdd(const std::vector<Blob>& data) override {
    for (const Blob& word : data) words_.append(word.data(), word.size());
  }
  void ProcessGet(const std::vector<Blob>& data, std::vector<Blob>* result) override {
    *result = {Blob(words_.data(), words_.size()), data.at(0)};
    result->push_back(Blob(1));
    result->back().As<char>() = static_cast<char>('0' + server_id() * 3 + num_servers());
  }
  void Store(Stream* stream) override { stream->Write(words_.data(), words_.size()); }
  void Load(Stream* stream) override {
    char letter = 0;
    while (stream->Read(&letter, 1) == 1) words_ += letter;
  }

 private:
  std::string words_;
};

ps::SArray<char> Block(const std::string& text) {
  return ps::SArray<char>(std::vector<char>(text.begin(), text.end()));
}
std::string Text(const ps::SArray<char>& block) { return std::string(block.begin(), block.end()); }

TEST(ServerTableTest, AShardCallsItWithWhatCame) {
  const auto shard = ShardOf(std::make_unique<Words>(), {1, 2});
  shard->Add(0, {Block("a"), Block("bc")});
  ps::UserBlocks answer;
  shard->Get(0, {Block("key")}, &answer);
  ASSERT_EQ(answer.size(), 3u);
  EXPECT_EQ(Text(answer[0]), "abc");
  EXPECT_EQ(Text(answer[1]), "key");
  EXPECT_EQ(Text(answer[2]), "5") << "server 1 of 2";
  EXPECT_FALSE(shard->TakesPartsOfOthers());
}

TEST(ServerTableTest, AShardStoresAndLoadsIt) {
  const auto shard = ShardOf(std::make_unique<Words>(), {0, 1});
  shard->Add(0, {Block("stored")});
  std::string bytes;
  dmlc::MemoryStringStream to(&bytes);
  shard->Save(&to);
  const auto other = ShardOf(std::make_unique<Words>(), {0, 1});
  dmlc::MemoryStringStream from(&bytes);
  other->Load(&from);
  ps::UserBlocks answer;
  other->Get(0, {Block("")}, &answer);
  EXPECT_EQ(Text(answer.at(0)), "stored");
}

}  // namespace
}  // namespace multiverso
