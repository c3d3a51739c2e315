#include "collective/operation.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/copy.h"
#include "collective/reduce.h"
#include "store/shown_memory.h"

namespace ps {
namespace {

bool Overlap(const Range& a, const Range& b) { return a.begin() < b.end() && b.begin() < a.end(); }

}  // namespace

// Only where there may be many pieces has somebody to be held back.
Operation::Operation(const Signature& signature, Plan plan, int rank, const Arrays& arrays,
                     OperationSink* sink)
    : signature_(signature),
      plan_(std::move(plan)),
      rank_(rank),
      arrays_(arrays),
      sink_(sink),
      element_bytes_(SizeOf(signature.dtype)),
      is_answered_(plan_.algorithm == Algorithm::kRing || plan_.algorithm == Algorithm::kDirect ||
                   plan_.algorithm == Algorithm::kChain) {
  SkipIdle(&send_, true);
  SkipIdle(&take_, false);
}

int Operation::waits_for() const {
  return take_.round == plan_.steps.size() ? -1 : plan_.steps[take_.round].from;
}

Status Operation::Begin(bool is_patient) {
  is_patient_ = is_patient;
  return Advance();
}

std::size_t Operation::AheadBytes() const {
  std::uint64_t sent = 0;
  std::uint64_t num_peers = 0;
  for (const PlanStep& step : plan_.steps) {
    if (step.take == ps::Take::kToken) {
      ++num_peers;
    } else if (step.to >= 0) {
      sent += step.out.size();
    }
  }
  // Where all wait for all nothing is sent ahead, only prepared.
  if (plan_.algorithm != Algorithm::kDirect) num_peers = std::min<std::uint64_t>(num_peers, 1);
  return bytes(std::min(sent, kWindow * num_peers * plan_.piece));
}

Status Operation::OnAnswer(int from) {
  const auto found = on_their_way_.find(from);
  // A peer that answers twice gains nothing.
  if (found == on_their_way_.end() || found->second.pieces < kAnsweredTogether) return Status::Ok();
  found->second.pieces -= kAnsweredTogether;
  return Advance();
}

Status Operation::Receive(int from, ArrivedValues&& arrived) {
  std::deque<ArrivedValues>& waiting = arrived_[from];
  if (waiting.size() >= kMostWaiting)
    return Status::InvalidArgument("more values than it may send before they are taken");
  waiting.push_back(std::move(arrived));
  return Advance();
}

// What arrives may be sent on, and what was sent may make room for what has arrived.
Status Operation::Advance() {
  bool goes_on = true;
  while (goes_on) {
    goes_on = false;
    while (SendNext()) goes_on = true;
    const Result<bool> taken = TakeNext();
    PS_RETURN_IF_ERROR(taken.status());
    goes_on |= taken.value();
  }
  return Status::Ok();
}

// --- the plan ---

void Operation::SkipIdle(Cursor* cursor, bool sends) const {
  while (cursor->round < plan_.steps.size()) {
    const PlanStep& step = plan_.steps[cursor->round];
    if ((sends ? step.to : step.from) >= 0) {
      cursor->at = sends ? step.out.begin() : step.in.begin();
      return;
    }
    ++cursor->round;
  }
}

void Operation::Move(Cursor* cursor, bool sends, const Range& piece) const {
  const PlanStep& step = plan_.steps[cursor->round];
  cursor->at = piece.end();
  if (cursor->at < (sends ? step.out : step.in).end()) return;
  ++cursor->round;
  SkipIdle(cursor, sends);
}

Range Operation::PieceAt(const Cursor& cursor, const Range& range) const {
  return {cursor.at, cursor.at + std::min(plan_.piece, range.end() - cursor.at)};
}

// --- sending ---

// Not before what it is made of has come, and everybody is there.
bool Operation::MaySend(const Range& piece) const {
  for (std::size_t round = take_.round; round < send_.round; ++round)
    if (IsToken(round) && NeedsToken(plan_.steps[round].from)) return false;
  return !IsMadeOfWhatComes(send_.round, piece);
}

// Whether what is sent next has to wait for a token of `from`. Where everybody tells everybody, what goes to
// one waits for that one only, while there is memory for what others then keep for those that are late.
bool Operation::NeedsToken(int from) const {
  if (plan_.algorithm != Algorithm::kDirect) return from >= 0;
  return !IsToken(send_.round) && (is_patient_ || plan_.steps[send_.round].to == from);
}

// Whether something that is sent in this round is still to be taken.
bool Operation::IsMadeOfWhatComes(std::size_t sent, const Range& piece) const {
  for (std::size_t round = take_.round; round < sent; ++round) {
    const PlanStep& step = plan_.steps[round];
    if (step.from < 0) continue;
    const Range missing(round == take_.round ? take_.at : step.in.begin(), step.in.end());
    if (Overlap(missing, piece)) return true;
  }
  return false;
}

SArray<char> Operation::CopyOf(const Range& piece) const {
  SArray<char> values = ShownMemory(bytes(piece.size()));
  CopyToPeer(values.data(), arrays_.in + bytes(piece.begin()), values.size());
  return values;
}

void Operation::Prepare() {
  if (is_patient_ || has_all()) return;
  Cursor next = send_;
  Range last;
  for (int prepared = 0; prepared < kWindow && next.round < plan_.steps.size();) {
    const Range piece = PieceAt(next, plan_.steps[next.round].out);
    if (!IsToken(next.round)) {
      if (IsMadeOfWhatComes(next.round, piece)) return;
      passed_.push_back({next.round, piece.begin(), piece == last ? passed_.back().values : CopyOf(piece)});
      last = piece;
      ++prepared;
    }
    Move(&next, true, piece);
  }
}

SArray<char> Operation::ValuesToSend(const Range& piece) {
  if (IsToken(send_.round)) return {};
  if (!passed_.empty() && passed_.front().round == send_.round && passed_.front().begin == piece.begin()) {
    SArray<char> values = std::move(passed_.front().values);
    passed_.pop_front();
    return values;
  }
  if (!again_.empty()) return again_;
  return CopyOf(piece);
}

// Whether what is sent next is this piece as it is now: nothing takes its place before (MayTake).
bool Operation::GoesAgain(const Range& piece) const {
  return send_.round < plan_.steps.size() && PieceAt(send_, plan_.steps[send_.round].out) == piece &&
         !IsMadeOfWhatComes(send_.round, piece);
}

bool Operation::SendNext() {
  if (send_.round == plan_.steps.size()) return false;
  const PlanStep& step = plan_.steps[send_.round];
  const Range piece = PieceAt(send_, step.out);
  if (!MaySend(piece)) return false;
  bool is_answered = false;
  if (is_answered_ && !IsToken(send_.round)) {
    OnTheirWay& on_their_way = on_their_way_[step.to];
    if (on_their_way.pieces == kWindow) return false;
    ++on_their_way.pieces;
    is_answered = ++on_their_way.since_asked == kAnsweredTogether;
    if (is_answered) on_their_way.since_asked = 0;
  }
  SArray<char> values = ValuesToSend(piece);
  const auto round = static_cast<std::uint32_t>(send_.round);
  Move(&send_, true, piece);
  again_ = GoesAgain(piece) ? values : SArray<char>();
  sink_->Send({step.to, round, piece.begin(), std::move(values), is_answered});
  return true;
}

// --- receiving ---

Result<bool> Operation::TakeNext() {
  if (take_.round == plan_.steps.size()) return false;
  const PlanStep& step = plan_.steps[take_.round];
  std::deque<ArrivedValues>& waiting = arrived_[step.from];
  if (waiting.empty()) return false;
  const Range piece = PieceAt(take_, step.in);
  PS_RETURN_IF_ERROR(CheckArrived(waiting.front(), piece));
  if (!MayTake(piece)) return false;
  const ArrivedValues arrived = std::move(waiting.front());
  waiting.pop_front();
  Take(arrived, piece);
  Move(&take_, false, piece);
  if (arrived.answered) sink_->Answer(arrived.asked);
  return true;
}

Status Operation::CheckArrived(const ArrivedValues& arrived, const Range& piece) const {
  const std::size_t expected = IsToken(take_.round) ? 0 : bytes(piece.size());
  if (arrived.round == take_.round && arrived.begin == piece.begin() && arrived.values.size() == expected)
    return Status::Ok();
  return Status::InvalidArgument(
      std::to_string(arrived.values.size()) + " bytes at element " + std::to_string(arrived.begin) +
      " of round " + std::to_string(arrived.round) + " instead of " + std::to_string(expected) +
      " at element " + std::to_string(piece.begin()) + " of round " + std::to_string(take_.round));
}

// What is still to be sent as it was before stays until then.
bool Operation::MayTake(const Range& piece) const {
  const ps::Take take = plan_.steps[take_.round].take;
  if (take == ps::Take::kToken || take == ps::Take::kPass) return true;
  for (std::size_t round = send_.round; round <= take_.round && round < plan_.steps.size(); ++round) {
    const PlanStep& step = plan_.steps[round];
    if (step.to < 0) continue;
    const Range unsent(round == send_.round ? send_.at : step.out.begin(), step.out.end());
    if (Overlap(unsent, piece)) return false;
  }
  return true;
}

void Operation::Take(const ArrivedValues& arrived, const Range& piece) {
  const PlanStep& step = plan_.steps[take_.round];
  const char* const theirs = arrived.values.data();
  const auto out = [&] { return arrays_.out + bytes(piece.begin() - arrays_.out_begin); };
  if (step.take == ps::Take::kToken) return;
  if (step.take == ps::Take::kStore) return CopyBytes(out(), theirs, bytes(piece.size()));
  const char* const mine = step.take == ps::Take::kAdd ? out() : arrays_.in + bytes(piece.begin());
  const bool is_mine_first = rank_ < step.from;  // the same order at both ends
  const char* const first = is_mine_first ? mine : theirs;
  const char* const second = is_mine_first ? theirs : mine;
  if (step.take != ps::Take::kPass)
    return Reduce({signature_.op, signature_.dtype}, first, second, out(), piece.size());
  SArray<char> result = ShownMemory(bytes(piece.size()));
  Reduce({signature_.op, signature_.dtype}, first, second, result.data(), piece.size());
  passed_.push_back({take_.round + 1, piece.begin(), std::move(result)});
}

}  // namespace ps
