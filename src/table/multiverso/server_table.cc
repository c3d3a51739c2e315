#include "ps/multiverso/server_table.h"

#include <utility>

namespace multiverso {
namespace {

std::vector<Blob> BlobsOf(const ps::UserBlocks& blocks) {
  std::vector<Blob> blobs;
  blobs.reserve(blocks.size());
  for (const ps::SArray<char>& block : blocks) blobs.emplace_back(block);
  return blobs;
}

class Shard : public ps::UserShard {
 public:
  explicit Shard(std::unique_ptr<ServerTable> table) : table_(std::move(table)) {}

  void Add(int, const ps::UserBlocks& blocks) override { table_->ProcessAdd(BlobsOf(blocks)); }
  void Get(int, const ps::UserBlocks& blocks, ps::UserBlocks* answer) override {
    std::vector<Blob> result;
    table_->ProcessGet(BlobsOf(blocks), &result);
    for (const Blob& blob : result) answer->push_back(blob.bytes());
  }
  void Save(dmlc::Stream* to) override {
    DmlcStream stream(to);
    table_->Store(&stream);
  }
  void Load(dmlc::Stream* from) override {
    DmlcStream stream(from);
    table_->Load(&stream);
  }
  bool TakesPartsOfOthers() const override { return table_->TakesPartsOfOthers(); }

 private:
  const std::unique_ptr<ServerTable> table_;
};

}  // namespace

std::unique_ptr<ps::UserShard> ShardOf(std::unique_ptr<ServerTable> table, const ps::UserShardPlace& place) {
  table->place_ = place;
  return std::make_unique<Shard>(std::move(table));
}

}  // namespace multiverso
