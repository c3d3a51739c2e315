// A program's own table for tests: sums of numbers by their place.
#ifndef PS_TESTS_SUPPORT_SUM_SHARD_H_
#define PS_TESTS_SUPPORT_SUM_SHARD_H_

#include <dmlc/io.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ps/user_shard.h"

namespace ps {

using Numbers = std::vector<std::int64_t>;

inline SArray<char> BlockOf(const Numbers& numbers) { return SArray<char>(SArray<std::int64_t>(numbers)); }
inline Numbers NumbersOf(const SArray<char>& block) {
  Numbers numbers(block.size() / sizeof(std::int64_t));
  if (!numbers.empty()) std::memcpy(numbers.data(), block.data(), numbers.size() * sizeof(std::int64_t));
  return numbers;
}

// What shards of one test have in common.
struct SumShardWatch {
  std::atomic<int> num_alive{0};
  std::atomic<int> num_threads{0};  // that a shard was called by, of those with more than one: 2 or more
};

// Add: each number is added to its place. Get: all of them; a second block names the worker. A block whose
// first number is negative makes it throw.
class SumShard : public UserShard {
 public:
  explicit SumShard(const UserShardPlace& place, SumShardWatch* watch = nullptr)
      : place_(place), watch_(watch) {
    if (watch_ != nullptr) ++watch_->num_alive;
  }
  ~SumShard() override {
    if (watch_ != nullptr) --watch_->num_alive;
  }

  void Add(int, const UserBlocks& blocks) override {
    NoteThread();
    const Numbers numbers = NumbersOf(blocks.at(0));
    if (!numbers.empty() && numbers[0] < 0) throw std::runtime_error("negative numbers are not liked");
    if (sums_.size() < numbers.size()) sums_.resize(numbers.size());
    // They wrap around.
    for (std::size_t i = 0; i < numbers.size(); ++i)
      sums_[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sums_[i]) +
                                           static_cast<std::uint64_t>(numbers[i]));
  }
  void Get(int worker, const UserBlocks& blocks, UserBlocks* answer) override {
    NoteThread();
    if (!blocks.empty()) throw Error(Status::NotFound("nothing is to be asked"));
    *answer = {BlockOf(sums_), BlockOf({worker, place_.server})};
  }
  void Save(dmlc::Stream* to) override {
    const std::uint64_t count = sums_.size();
    to->Write(&count, sizeof(count));
    to->Write(sums_.data(), count * sizeof(std::int64_t));
  }
  void Load(dmlc::Stream* from) override {
    std::uint64_t count = 0;
    if (from->Read(&count, sizeof(count)) != sizeof(count)) throw std::runtime_error("nothing was saved");
    sums_.resize(count);
    const std::size_t bytes = count * sizeof(std::int64_t);
    if (from->Read(sums_.data(), bytes) != bytes) throw std::runtime_error("too little was saved");
  }

 private:
  void NoteThread() {
    if (thread_ == std::thread::id()) thread_ = std::this_thread::get_id();
    if (thread_ != std::this_thread::get_id() && watch_ != nullptr) ++watch_->num_threads;
  }

  const UserShardPlace place_;
  SumShardWatch* const watch_;
  std::thread::id thread_;
  Numbers sums_;
};

inline MakeUserShard MakeSumShard(SumShardWatch* watch = nullptr) {
  return [watch](const UserShardPlace& place) { return std::make_unique<SumShard>(place, watch); };
}

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_SUM_SHARD_H_
