#include "store/store_message.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace ps {
namespace {

struct Arrays {
  SArray<Key> keys;
  SArray<char> vals;
};

void Pack(const SArray<Key>& keys, const SArray<char>& vals, Message* message) {
  message->meta.push = !vals.empty();
  if (keys.empty() && vals.empty()) return;
  message->AddData(keys);
  message->AddData(vals);
}

// Arrays that are aligned for what they hold.
Result<Arrays> Unpack(const Message& message) {
  Arrays arrays;
  if (message.data.empty()) return arrays;
  if (message.data.size() != 2)
    return Status::InvalidArgument("a message of the store has keys and values, this one has " +
                                   std::to_string(message.data.size()) + " blocks");
  const SArray<char>& keys = message.data[0];
  if (keys.size() % sizeof(Key) != 0)
    return Status::InvalidArgument("the keys of a message have " + std::to_string(keys.size()) + " bytes");
  if (reinterpret_cast<std::uintptr_t>(keys.data()) % alignof(Key) == 0) {
    arrays.keys = SArray<Key>(keys);
  } else {
    arrays.keys = SArray<Key>::Uninitialized(keys.size() / sizeof(Key));
    std::memcpy(arrays.keys.data(), keys.data(), keys.size());
  }
  arrays.vals = message.data[1];
  if (reinterpret_cast<std::uintptr_t>(arrays.vals.data()) % alignof(double) != 0) {
    SArray<char> aligned = SArray<char>::Uninitialized(arrays.vals.size());
    std::memcpy(aligned.data(), arrays.vals.data(), arrays.vals.size());
    arrays.vals = std::move(aligned);
  }
  return arrays;
}

}  // namespace

Message PackRequest(StoreRequest&& request) {
  Message message;
  message.meta.body = OpCodec::Encode(request.ops);
  message.meta.priority = request.priority;
  Pack(request.keys, request.vals, &message);
  return message;
}

Message PackAnswer(StoreAnswer&& answer) {
  Message message;
  message.meta.body = OpCodec::Encode(answer.replies);
  Pack(answer.keys, answer.vals, &message);
  return message;
}

Result<StoreRequest> UnpackRequest(const Message& message) {
  Result<Arrays> arrays = Unpack(message);
  PS_RETURN_IF_ERROR(arrays.status());
  StoreRequest request;
  request.keys = std::move(arrays.value().keys);
  request.vals = std::move(arrays.value().vals);
  request.priority = message.meta.priority;
  Result<std::vector<Op>> ops =
      OpCodec::DecodeOps(message.meta.body, request.keys.size(), request.vals.size());
  PS_RETURN_IF_ERROR(ops.status());
  request.ops = std::move(ops).value();
  return request;
}

Result<StoreAnswer> UnpackAnswer(const Message& message) {
  Result<Arrays> arrays = Unpack(message);
  PS_RETURN_IF_ERROR(arrays.status());
  StoreAnswer answer;
  answer.keys = std::move(arrays.value().keys);
  answer.vals = std::move(arrays.value().vals);
  Result<std::vector<OpReply>> replies =
      OpCodec::DecodeReplies(message.meta.body, answer.keys.size(), answer.vals.size());
  PS_RETURN_IF_ERROR(replies.status());
  answer.replies = std::move(replies).value();
  return answer;
}

}  // namespace ps
