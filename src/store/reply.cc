#include "store/reply.h"

#include <algorithm>
#include <cstring>
#include <new>
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
  try {
    Gather(&answer);
  } catch (const std::bad_alloc&) {
    // What brings nothing is answered as it is.
    for (Part& part : parts_) {
      if (part.keys.empty() && part.vals.empty()) continue;
      part.reply.status = Status::ResourceExhausted("the server has no memory for the answer");
    }
    answer = StoreAnswer();
    Gather(&answer);
  }
  send_(std::move(answer));
}

void Reply::Gather(StoreAnswer* answer) {
  std::size_t num_keys = 0;
  std::size_t num_bytes = 0;
  for (Part& part : parts_) {
    if (!part.reply.status.ok()) part.keys = SArray<Key>(), part.vals = SArray<char>();
    part.reply.num_keys = part.keys.size();
    part.reply.num_bytes = part.vals.size();
    num_keys += part.keys.size();
    num_bytes = AlignedValues(num_bytes) + part.vals.size();
  }
  if (parts_.size() == 1) {
    answer->keys = std::move(parts_[0].keys);
    answer->vals = std::move(parts_[0].vals);
  } else {
    answer->keys = SArray<Key>::Uninitialized(num_keys);
    answer->vals = ShownMemory(num_bytes);
    Key* key = answer->keys.data();
    std::size_t at = 0;
    for (const Part& part : parts_) {
      key = std::copy(part.keys.begin(), part.keys.end(), key);
      const std::size_t from = AlignedValues(at);
      if (from != at) std::memset(answer->vals.data() + at, 0, from - at);
      at = from;
      if (!part.vals.empty()) std::memcpy(answer->vals.data() + at, part.vals.data(), part.vals.size());
      at += part.vals.size();
    }
  }
  answer->replies.reserve(parts_.size());
  for (Part& part : parts_) answer->replies.push_back(std::move(part.reply));
}

}  // namespace ps
