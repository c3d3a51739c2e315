#include "store/fusion.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ps {
namespace {

// Of the message, or its answer, that it makes longer, with what fills the values up.
std::size_t BytesOf(const StoreRequest& request) {
  return std::max(request.bytes(), request.answer_bytes) + kValueAlignment;
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
  StoreRequest& request = addressed.request;
  OfServer& of = servers_[static_cast<std::size_t>(addressed.server)];
  const std::size_t bytes = BytesOf(request);
  // What may have to wait for a program's code to be registered keeps nobody else waiting.
  const bool is_for_code = std::any_of(request.ops.begin(), request.ops.end(),
                                       [](const Op& op) { return (op.flags & Op::kUser) != 0; });
  const bool is_small = bytes <= bounds_.max_small_bytes && !is_for_code;
  const bool would_overtake =
      !request.may_wait && std::any_of(request.ops.begin(), request.ops.end(),
                                       [&of](const Op& op) { return of.tables.count(op.table) != 0; });
  // What came before goes before.
  if (!is_small || would_overtake) Take(addressed.server, out);
  Gathered& to = request.may_wait ? of.may_wait : of.prompt;
  for (std::size_t i = 0; request.may_wait && i < request.ops.size(); ++i)
    of.tables.insert(request.ops[i].table);
  to.bytes += bytes;
  to.requests.push_back(std::move(request));
  to.sinks.push_back(std::move(sink));
  if (!is_small || to.bytes >= bounds_.max_fused_bytes) Take(addressed.server, out);
}

void Fusion::TakeAll(std::vector<Fused>* out) {
  for (std::size_t i = 0; i < servers_.size(); ++i) Take(static_cast<int>(i), out);
}

void Fusion::Take(int server, std::vector<Fused>* out) {
  OfServer& of = servers_[static_cast<std::size_t>(server)];
  TakeOne(server, &of.prompt, out);
  TakeOne(server, &of.may_wait, out);
  of.tables.clear();
}

void Fusion::TakeOne(int server, Gathered* gathered, std::vector<Fused>* out) {
  if (gathered->requests.empty()) return;
  Gathered taken;
  std::swap(taken, *gathered);
  Fused fused;
  fused.server = server;
  for (std::size_t i = 0; i < taken.requests.size(); ++i)
    fused.pieces.push_back({std::move(taken.sinks[i]), taken.requests[i].ops.size()});
  if (taken.requests.size() == 1) {
    fused.request = std::move(taken.requests[0]);
  } else {
    Join(&taken.requests, &fused.request);
  }
  out->push_back(std::move(fused));
}

}  // namespace ps
