#include "store/reply.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "store/shown_memory.h"

namespace ps {

Reply::Reply(std::size_t num_ops, Send send, const MessageLimit& limit)
    : send_(std::move(send)), limit_(limit), parts_(num_ops), open_(static_cast<int>(num_ops)) {}

Status Reply::Claim(std::size_t bytes, const std::string& whom) {
  MutexLock lock(mutex_);
  const std::size_t all = AlignedValues(claimed_bytes_) + bytes;
  if (!limit_.Allows(all)) return limit_.Check(all, "the answer to " + whom);
  claimed_bytes_ = all;
  return Status::Ok();
}

void Reply::Fail(std::size_t op, const Status& why) {
  MutexLock lock(mutex_);
  if (parts_[op].reply.status.ok()) parts_[op].reply.status = why;
}

void Reply::SendAll() {
  StoreAnswer answer;
  try {
    FailContents(Gather(&answer));
  } catch (const std::bad_alloc&) {
    FailContents(Status::ResourceExhausted("the server has no memory for the answer"));
  }
  if (answer.replies.empty()) {
    answer = StoreAnswer();
    (void)Gather(&answer);  // nothing in it could be too large
  }
  send_(std::move(answer));
}

// What brings nothing is answered as it is.
void Reply::FailContents(const Status& why) {
  if (why.ok()) return;
  for (Part& part : parts_) {
    if (!part.keys.empty() || !part.vals.empty()) part.reply.status = why;
  }
}

// What was not claimed is known only now: changed rows, and what a codec made of them.
Status Reply::Gather(StoreAnswer* answer) {
  std::size_t num_keys = 0;
  std::size_t num_bytes = 0;
  for (Part& part : parts_) {
    if (!part.reply.status.ok()) part.keys = SArray<Key>(), part.vals = SArray<char>();
    part.reply.num_keys = part.keys.size();
    part.reply.num_bytes = part.vals.size();
    num_keys += part.keys.size();
    num_bytes = AlignedValues(num_bytes) + part.vals.size();
  }
  const std::size_t bytes = num_keys * sizeof(Key) + num_bytes;
  if (!limit_.Allows(bytes)) return limit_.Check(bytes, "the answer");
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
  return Status::Ok();
}

}  // namespace ps
