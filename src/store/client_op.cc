#include "store/client_op.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/copy.h"

namespace ps {

ClientOp::ClientOp(std::shared_ptr<TicketState> ticket, const Destination& destination,
                   std::vector<Part> parts, OnReplies on_replies)
    : ticket_(std::move(ticket)),
      destination_(destination),
      parts_(std::move(parts)),
      on_replies_(std::move(on_replies)) {}

const ClientOp::Part* ClientOp::PartOf(int server, std::size_t op) const {
  const auto found = std::find_if(parts_.begin(), parts_.end(), [server, op](const Part& part) {
    return part.server == server && part.op == op;
  });
  return found == parts_.end() ? nullptr : &*found;
}

Status ClientOp::OnAnswer(int server, const StoreAnswer& answer) {
  const std::vector<OpReply>& replies = answer.replies;
  for (const OpReply& reply : replies) {
    if (!reply.status.ok())
      return Status(reply.status.code(), "server " + std::to_string(server) + ": " + reply.status.message());
  }
  const auto is_unanswered = [&](const Part& part) {
    return part.server == server && part.op >= replies.size();
  };
  if (replies.empty() || std::any_of(parts_.begin(), parts_.end(), is_unanswered))
    return Status::Internal("server " + std::to_string(server) + " answered too few operations");
  if (destination_.take) PS_RETURN_IF_ERROR(destination_.take(server, answer));
  std::size_t key = 0;
  std::size_t byte = 0;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    const OpReply& reply = replies[i];
    const Part* const part = PartOf(server, i);
    if (part != nullptr && destination_.values != nullptr)
      PS_RETURN_IF_ERROR(Fill(
          *part, {answer.keys.data() + key, reply.num_keys, answer.vals.data() + byte, reply.num_bytes}));
    key += reply.num_keys;
    byte = AlignedValues(byte + reply.num_bytes);
  }
  if (on_replies_) on_replies_(server, replies);
  return Status::Ok();
}

// Of a delta read the keys are places in what the server was asked for.
Status ClientOp::CheckContent(const Part& part, const Content& content) const {
  if (!part.is_delta) return Status::Ok();
  const bool fit =
      content.num_keys <= part.count && std::all_of(content.keys, content.keys + content.num_keys,
                                                    [&part](Key place) { return place < part.count; });
  return fit ? Status::Ok() : Status::Internal("an answer has rows that were not asked for");
}

Status ClientOp::Fill(const Part& part, const Content& content) {
  PS_RETURN_IF_ERROR(CheckContent(part, content));
  const std::size_t count = part.is_delta ? content.num_keys : part.count;
  const std::size_t bytes = count * destination_.row_bytes;
  const bool is_run = part.places.empty() && !part.is_delta;
  char* const run = destination_.values + part.first * destination_.row_bytes;
  if (is_run && destination_.changed != nullptr) {
    for (std::size_t i = 0; i < count; ++i)
      destination_.changed->push_back(static_cast<std::uint32_t>(part.first + i));
  }
  if (destination_.codec == nullptr) {
    if (content.num_bytes != bytes)
      return Status::Internal("an answer has " + std::to_string(content.num_bytes) + " bytes for " +
                              std::to_string(count) + " rows of " + std::to_string(destination_.row_bytes));
    if (!is_run) return FillRows(part, content, content.bytes, count);
    CopyFromPeer(run, content.bytes, bytes);
    return Status::Ok();
  }
  if (count == 0) return Status::Ok();
  const std::size_t elements = count * destination_.row_elements;
  if (is_run) return destination_.codec->Decode(content.bytes, content.num_bytes, elements, run);
  const SArray<char> decoded = SArray<char>::Uninitialized(bytes);
  PS_RETURN_IF_ERROR(destination_.codec->Decode(content.bytes, content.num_bytes, elements, decoded.data()));
  return FillRows(part, content, decoded.data(), count);
}

Status ClientOp::FillRows(const Part& part, const Content& content, const char* rows, std::size_t count) {
  const std::size_t row_bytes = destination_.row_bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = part.is_delta ? content.keys[i] : i;
    const std::size_t at = part.places.empty() ? part.first + place : part.places[place];
    std::memcpy(destination_.values + at * row_bytes, rows + i * row_bytes, row_bytes);
    if (destination_.changed != nullptr) destination_.changed->push_back(static_cast<std::uint32_t>(at));
  }
  return Status::Ok();
}

void ClientOp::OnDone(const Status& outcome) { ticket_->Finish(outcome); }

}  // namespace ps
