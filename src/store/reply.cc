#include "store/reply.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "store/shown_memory.h"

namespace ps {

Reply::Reply(std::size_t num_ops, Send send)
    : send_(std::move(send)), parts_(num_ops), open_(static_cast<int>(num_ops)) {}

void Reply::Fail(std::size_t op, const Status& why) {
  MutexLock lock(mutex_);
  if (parts_[op].reply.status.ok()) parts_[op].reply.status = why;
}

void Reply::SendAll() {
  StoreAnswer answer;
  std::size_t num_keys = 0;
  std::size_t num_bytes = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    if (!part.reply.status.ok()) part.keys = SArray<Key>(), part.vals = SArray<char>();
    part.reply.num_keys = part.keys.size();
    part.reply.num_bytes = part.vals.size();
    num_keys += part.keys.size();
    num_bytes = AlignedValues(num_bytes) + part.vals.size();
    answer.replies.push_back(std::move(part.reply));
  }
  if (parts_.size() == 1) {
    answer.keys = std::move(parts_[0].keys);
    answer.vals = std::move(parts_[0].vals);
  } else {
    answer.keys = SArray<Key>::Uninitialized(num_keys);
    answer.vals = ShownMemory(num_bytes);
    Key* key = answer.keys.data();
    std::size_t at = 0;
    for (const Part& part : parts_) {
      key = std::copy(part.keys.begin(), part.keys.end(), key);
      const std::size_t from = AlignedValues(at);
      if (from != at) std::memset(answer.vals.data() + at, 0, from - at);
      at = from;
      if (!part.vals.empty()) std::memcpy(answer.vals.data() + at, part.vals.data(), part.vals.size());
      at += part.vals.size();
    }
  }
  send_(std::move(answer));
}

}  // namespace ps
