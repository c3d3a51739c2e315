#include "store/fusion.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ps {
namespace {

std::size_t BytesOf(const StoreRequest& request) {
  return request.keys.size() * sizeof(Key) + AlignedValues(request.vals.size());
}

// Puts the arrays of requests one after the other, the values of each filled up (store/op.h).
void Join(std::vector<StoreRequest>* parts, StoreRequest* whole) {
  std::size_t num_keys = 0;
  std::size_t num_bytes = 0;
  for (const StoreRequest& part : *parts) {
    num_keys += part.keys.size();
    num_bytes = AlignedValues(num_bytes) + part.vals.size();
  }
  whole->keys = SArray<Key>::Uninitialized(num_keys);
  whole->vals = SArray<char>::Uninitialized(num_bytes);
  Key* key = whole->keys.data();
  std::size_t at = 0;
  for (StoreRequest& request : *parts) {
    key = std::copy(request.keys.begin(), request.keys.end(), key);
    const std::size_t from = AlignedValues(at);
    std::memset(whole->vals.data() + at, 0, from - at);
    if (!request.vals.empty())
      std::memcpy(whole->vals.data() + from, request.vals.data(), request.vals.size());
    at = from + request.vals.size();
    whole->priority = std::max(whole->priority, request.priority);
    for (Op& op : request.ops) whole->ops.push_back(std::move(op));
  }
}

}  // namespace

void Fusion::Add(ServerLink::Addressed&& addressed, std::shared_ptr<AnswerSink> sink,
                 std::vector<Fused>* out) {
  OfServer& of = servers_[static_cast<std::size_t>(addressed.server)];
  const std::size_t bytes = BytesOf(addressed.request);
  const bool is_small = bytes <= bounds_.max_small_bytes;
  // What came before goes before.
  if (!is_small) Take(addressed.server, out);
  of.bytes += bytes;
  of.waiting.push_back(std::move(addressed.request));
  of.sinks.push_back(std::move(sink));
  if (!is_small || of.bytes >= bounds_.max_fused_bytes) Take(addressed.server, out);
}

void Fusion::TakeAll(std::vector<Fused>* out) {
  for (std::size_t i = 0; i < servers_.size(); ++i) Take(static_cast<int>(i), out);
}

void Fusion::Take(int server, std::vector<Fused>* out) {
  OfServer& of = servers_[static_cast<std::size_t>(server)];
  if (of.waiting.empty()) return;
  Fused fused;
  fused.server = server;
  for (std::size_t i = 0; i < of.waiting.size(); ++i)
    fused.pieces.push_back({std::move(of.sinks[i]), of.waiting[i].ops.size()});
  if (of.waiting.size() == 1) {
    fused.request = std::move(of.waiting[0]);
  } else {
    Join(&of.waiting, &fused.request);
  }
  of.waiting.clear();
  of.sinks.clear();
  of.bytes = 0;
  out->push_back(std::move(fused));
}

}  // namespace ps
