#include "van/outbox.h"

#include <algorithm>
#include <utility>

namespace ps {
namespace {

SArray<char> OwnCopy(const SArray<char>& bytes) {
  if (bytes.empty()) return bytes;
  SArray<char> copy = SArray<char>::Uninitialized(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.data());
  return copy;
}

// The header of a frame this node has encoded itself; only data is given up, control is not.
bool ReadDataHeader(const Frame& frame, Header* header) {
  const Result<Header> decoded = DecodeHeader(frame.head.data(), frame.head.size());
  if (!decoded.ok() || decoded.value().kind != FrameKind::kData) return false;
  *header = decoded.value();
  return true;
}

}  // namespace

Outbox::Outbox(uint64_t chunk_bytes, int64_t ask_after_ms, int peer_id)
    : chunk_bytes_(chunk_bytes),
      ask_after_ms_(ask_after_ms),
      peer_id_(peer_id),
      queue_(std::in_place, chunk_bytes),
      sent_(std::in_place, ask_after_ms) {}

Outbox::Name Outbox::NameOf(const Header& header) {
  return {header.app_id, header.customer_id, header.timestamp, (header.flags & kFlagRequest) != 0};
}

Meta Outbox::MetaOf(const Header& header, int self_id) const {
  Meta meta;
  meta.head = header.head;
  meta.app_id = header.app_id;
  meta.customer_id = header.customer_id;
  meta.timestamp = header.timestamp;
  meta.sender = self_id;
  meta.recver = peer_id_;
  meta.request = (header.flags & kFlagRequest) != 0;
  meta.push = (header.flags & kFlagPush) != 0;
  meta.pull = (header.flags & kFlagPull) != 0;
  meta.simple_app = (header.flags & kFlagSimpleApp) != 0;
  meta.priority = header.priority;
  meta.data_size = static_cast<int64_t>(header.total_bytes());
  return meta;
}

void Outbox::Drop(const std::function<bool(const Outgoing&)>& match, GivenUp* out) {
  for (const Outgoing& message : queue_->Remove(match)) {
    if (message.is_request()) out->withdrawn.push_back(message.bytes());
  }
}

// Replaces the memory of matching messages that are partly sent, in the queue and among the frames.
bool Outbox::CopyBegun(const Match& match) {
  bool copied = false;
  const auto copy = [&copied](auto* pieces) {
    for (SArray<char>& piece : *pieces) {
      copied = copied || !piece.empty();
      piece = OwnCopy(piece);
    }
  };
  sent_->ForEachKept([&](uint64_t, Frame& frame, int64_t) {
    Header header;
    if (ReadDataHeader(frame, &header) && match(header)) copy(&frame.parts);
  });
  queue_->ForEachBegun([&](Outgoing& message) {
    if (message.header.kind == FrameKind::kData && match(message.header)) copy(&message.blocks);
  });
  return copied;
}

Outbox::GivenUp Outbox::Expire(int64_t now_ms, int64_t timeout_ms, const Status& why, int self_id) {
  GivenUp out;
  if (drained()) given_up_.clear();
  int64_t oldest_ms = now_ms;
  const auto is_due = [&](int64_t since_ms) {
    if (now_ms - since_ms >= timeout_ms) return true;
    oldest_ms = std::min(oldest_ms, since_ms);
    return false;
  };
  Drop(
      [&](const Outgoing& message) {
        if (!message.is_request() || !is_due(message.queued_ms)) return false;
        out.reported.push_back({MetaOf(message.header, self_id), why});
        return true;
      },
      &out);
  std::set<Name> fresh;
  sent_->ForEachKept([&](uint64_t, Frame& frame, int64_t first_sent_ms) {
    Header header;
    if (!is_due(first_sent_ms) || !ReadDataHeader(frame, &header)) return;
    if ((header.flags & kFlagRequest) == 0) return;
    if (!given_up_.insert(NameOf(header)).second) return;
    fresh.insert(NameOf(header));
    out.reported.push_back({MetaOf(header, self_id), why});
  });
  out.next_ms = oldest_ms + timeout_ms;
  if (fresh.empty()) return out;
  out.copied = CopyBegun([&fresh](const Header& header) { return fresh.count(NameOf(header)) != 0; });
  return out;
}

Outbox::GivenUp Outbox::Release(int app_id, int customer_id, int timestamp) {
  const auto is_its = [=](const Header& header) {
    return header.kind == FrameKind::kData && (header.flags & kFlagRequest) != 0 && header.app_id == app_id &&
           header.customer_id == customer_id && (timestamp == -1 || header.timestamp == timestamp);
  };
  GivenUp out;
  Drop([&](const Outgoing& message) { return is_its(message.header); }, &out);
  out.copied = CopyBegun(is_its);
  return out;
}

std::vector<Undelivered> Outbox::Clear(const Status& why, int self_id) {
  std::vector<Undelivered> out;
  const auto report = [&](const Header& header) {
    if (given_up_.insert(NameOf(header)).second) out.push_back({MetaOf(header, self_id), why});
  };
  sent_->ForEachKept([&](uint64_t, Frame& frame, int64_t) {
    Header header;
    if (ReadDataHeader(frame, &header)) report(header);
  });
  queue_->ForEachBegun([&](Outgoing& message) {
    if (message.header.kind == FrameKind::kData) report(message.header);
  });
  for (const Outgoing& message : queue_->Remove([](const Outgoing&) { return true; })) {
    if (message.header.kind == FrameKind::kData) report(message.header);
  }
  given_up_.clear();
  queue_.emplace(chunk_bytes_);
  sent_.emplace(ask_after_ms_);
  return out;
}

}  // namespace ps
