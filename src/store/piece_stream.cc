#include "store/piece_stream.h"

#include <algorithm>

namespace ps {
namespace {

constexpr std::size_t kPieceBytes = 1 << 20;

}  // namespace

void PieceStream::Write(const void* data, std::size_t size) {
  const char* from = static_cast<const char*>(data);
  while (size > 0) {
    ThrowIfError(status_);
    const std::size_t fits = std::min(size, kPieceBytes - bytes_.size());
    bytes_.insert(bytes_.end(), from, from + fits);
    from += fits;
    size -= fits;
    if (bytes_.size() == kPieceBytes) ThrowIfError(Flush());
  }
}

std::size_t PieceStream::Read(void*, std::size_t) {
  throw Error(Status::FailedPrecondition("a table that is saved has nothing to be read"));
}

Status PieceStream::Finish() { return bytes_.empty() ? status_ : Flush(); }

Status PieceStream::Flush() {
  if (status_.ok()) status_ = take_({RowSet::Range(position_, bytes_.size()), bytes_.data(), bytes_.size()});
  position_ += bytes_.size();
  bytes_.clear();
  return status_;
}

}  // namespace ps
