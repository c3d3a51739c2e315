#include "store/contribution.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

namespace ps {

Contribution::Contribution(std::shared_ptr<Reply> reply, std::size_t op, SArray<Key> keys,
                           SArray<char> values, bool is_borrowed)
    : reply_(std::move(reply)),
      op_(op),
      keys_(std::move(keys)),
      values_(std::move(values)),
      is_borrowed_(is_borrowed) {}

void Contribution::ShareOut(const TableSlots& slots, const RowSet& rows, std::size_t row_bytes) {
  row_bytes_ = row_bytes;
  std::vector<Portion> portions = slots.Split(rows);
  shares_.resize(portions.size());
  int open = 0;
  for (std::size_t i = 0; i < portions.size(); ++i) {
    shares_[i].portion = std::move(portions[i]);
    if (HasShare(i)) ++open;
  }
  open_shares_.store(open);
  if (open == 0) reply_->Finish();
}

bool Contribution::HasShares() const {
  return std::any_of(shares_.begin(), shares_.end(),
                     [](const Share& share) { return share.portion.rows.count != 0; });
}

// Whoever sends rows in order, which is the usual thing, names each once.
bool Contribution::MayRepeat() const {
  return std::adjacent_find(keys_.begin(), keys_.end(), std::greater_equal<>()) != keys_.end();
}

const char* Contribution::values(std::size_t slot) {
  Share& share = shares_[slot];
  if (share.values == nullptr) {
    if (share.portion.is_run()) {
      share.values = values_.data() + share.portion.first * row_bytes_;
    } else {
      Pick(&share);
    }
  }
  return share.values;
}

// The rows of one slot out of those of all.
void Contribution::Pick(Share* share) {
  const Portion& portion = share->portion;
  share->own = SArray<char>::Uninitialized(portion.rows.count * row_bytes_);
  char* to = share->own.data();
  for (const std::uint32_t place : portion.places) {
    std::memcpy(to, values_.data() + place * row_bytes_, row_bytes_);
    to += row_bytes_;
  }
  share->values = share->own.data();
}

void Contribution::Keep(std::size_t slot) {
  Share& share = shares_[slot];
  const char* const from = values(slot);
  if (!is_borrowed_ || !share.own.empty()) return;
  share.own = SArray<char>::Uninitialized(share.portion.rows.count * row_bytes_);
  std::memcpy(share.own.data(), from, share.own.size());
  share.values = share.own.data();
}

void Contribution::Acknowledge(std::size_t slot) {
  Share& share = shares_[slot];
  if (share.is_acknowledged) return;
  share.is_acknowledged = true;
  if (open_shares_.fetch_sub(1) == 1) reply_->Finish();
}

}  // namespace ps
