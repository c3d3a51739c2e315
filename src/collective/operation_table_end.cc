// The half of OperationTable that ends operations: their time is up, something went wrong, or they are done.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/guarded.h"
#include "base/log.h"
#include "base/parse.h"
#include "collective/operation_table.h"

namespace ps {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kMostShown = 10;

}  // namespace

// --- time ---

std::int64_t OperationTable::next_ms() const {
  std::int64_t next_ms = kNever;
  for (const auto& [token, open] : open_) next_ms = std::min(next_ms, open.next_ms);
  return next_ms;
}

void OperationTable::OnTime(std::int64_t now_ms) {
  std::vector<int> due;
  for (const auto& [token, open] : open_)
    if (open.next_ms <= now_ms) due.push_back(token);
  for (const int token : due) OnTimeOf(token, &open_.at(token), now_ms);
}

void OperationTable::OnTimeOf(int token, Open* open, std::int64_t now_ms) {
  if (!open->has_said_here) {
    Packet here;
    here.kind = Packet::kHere;
    SendToAll(*open, token, here);
    open->has_said_here = true;
    open->next_ms = open->begun_ms + timeout_ms_;
    if (open->next_ms > now_ms) return;
  }
  End(token,
      Status::DeadlineExceeded(DescribeOpen(*open) + ": " + WhoIsMissing(*open) + " after " +
                               FormatSeconds(now_ms - open->begun_ms) + " s (PS_BARRIER_TIMEOUT)"),
      true);
}

std::string OperationTable::Progress(int token) const {
  const auto found = open_.find(token);
  return found == open_.end() ? "" : DescribeOpen(found->second) + ": " + WhoIsMissing(found->second);
}

std::string OperationTable::WhoIsMissing(const Open& open) const {
  std::string missing;
  std::size_t num_missing = 0;
  for (int rank = 0; rank < group_.size(); ++rank) {
    if (rank == group_.rank() || open.heard.count(rank) != 0) continue;
    if (num_missing++ < kMostShown) missing += (missing.empty() ? "" : ", ") + DescribeRank(rank);
  }
  if (num_missing > kMostShown) missing += " and " + std::to_string(num_missing - kMostShown) + " more";
  if (num_missing > 0) return missing + (num_missing == 1 ? " has" : " have") + " not come";
  const int waits_for = open.operation->waits_for();
  return waits_for < 0 ? "it can not send what it has" : DescribeRank(waits_for) + " has not sent its values";
}

// --- ending ---

void OperationTable::EndAll(const Status& why) { EndEach(why, true); }

void OperationTable::EndEach(const Status& why, bool tell) {
  while (!open_.empty()) {
    const auto first = open_.begin();
    End(first->first, Status(why.code(), DescribeOpen(first->second) + ": " + why.message()), tell);
  }
}

bool OperationTable::FinishOrEnd(int token, const Status& status) {
  Open& open = open_.at(token);
  if (!status.ok()) {
    End(token, status, true);
    return false;
  }
  if (open.operation->has_all()) ReleaseAhead(&open);
  if (!open.operation->done()) return true;
  End(token, Status::Ok(), false);
  return false;
}

void OperationTable::End(int token, const Status& outcome, bool tell) {
  const auto found = open_.find(token);
  if (tell) {
    const Status told = Guarded([&] {
      Packet end;
      end.kind = Packet::kEnd;
      end.status = outcome;
      SendToAll(found->second, kNoToken, end);
      return Status::Ok();
    });
    if (!told.ok())
      PS_LOG(kError, "", DescribeOpen(found->second) << ": others wait for their deadline: " << told);
  }
  ReleaseAhead(&found->second);
  tokens_.erase(found->second.id);
  open_.erase(found);
  sink_->End(token, outcome);
}

void OperationTable::SendToAll(const Open& open, int token, const Packet& packet) {
  Packet complete = packet;
  complete.id = open.id;
  complete.signature = open.signature;
  const std::string bytes = EncodePacket(complete);
  for (int rank = 0; rank < group_.size(); ++rank)
    if (rank != group_.rank()) sink_->Send({group_.node(rank), token, bytes, {}});
}

std::string OperationTable::DescribeOpen(const Open& open) const {
  return open.signature.ToString() + ", " + open.id.ToString();
}

Status OperationTable::Differs(int rank, const Signature& theirs, const Open& open) const {
  return Status::InvalidArgument("collective operation " + open.id.ToString() + ": " +
                                 DescribeRank(group_.rank()) + " has called " + open.signature.ToString() +
                                 ", " + DescribeRank(rank) + " " + theirs.ToString());
}

}  // namespace ps
