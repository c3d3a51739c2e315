#include "store/checkpoint/block.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace ps {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are stored as they lie in memory");

// Not text, and damaged by whatever takes it for text.
constexpr std::array<char, 8> kMagic = {'\x89', 'P', 'S', 'C', '\r', '\n', '\x1a', '\n'};
constexpr std::size_t kStep = std::size_t{4} << 20;

struct Head {
  std::array<char, 8> magic;
  std::uint32_t kind;
  std::uint32_t format;
  std::uint64_t sequence;
  std::uint64_t begin;
  std::uint64_t count;
  std::uint64_t bytes;
  std::uint64_t body_digest;
  std::uint64_t digest;
};
static_assert(sizeof(Head) == Block::kHeadBytes);

std::uint64_t DigestOf(const Head& head) { return ps::DigestOf(&head, offsetof(Head, digest)); }

}  // namespace

Status BlockWriter::Append(Block block, std::initializer_list<std::string_view> body) {
  body_.Reset();
  block.bytes = 0;
  for (const std::string_view part : body) {
    body_.Add(part.data(), part.size());
    block.bytes += part.size();
  }
  Head head{kMagic,
            static_cast<std::uint32_t>(block.kind),
            Block::kFormat,
            block.sequence,
            block.begin,
            block.count,
            block.bytes,
            body_.value(),
            0};
  head.digest = DigestOf(head);
  heads_.Add(&head, sizeof(head));
  PS_RETURN_IF_ERROR(file_->Append(&head, sizeof(head)));
  for (const std::string_view part : body) PS_RETURN_IF_ERROR(file_->Append(part.data(), part.size()));
  position_ += sizeof(head) + block.bytes;
  return Status::Ok();
}

std::uint64_t BlockWriter::TakeDigest() {
  const std::uint64_t digest = heads_.value();
  heads_.Reset();
  return digest;
}

BlockReader::BlockReader(std::unique_ptr<FileReader> file, std::string path)
    : file_(std::move(file)), path_(std::move(path)) {}

Status BlockReader::Damage(const std::string& what) const {
  return Status::InvalidArgument(path_ + " is damaged at byte " + std::to_string(block_position_) + ": " +
                                 what);
}

Status BlockReader::CutOff() const {
  return Status::FailedPrecondition(path_ + " is cut off at byte " + std::to_string(position_));
}

Status BlockReader::Seek(std::uint64_t position) {
  PS_RETURN_IF_ERROR(file_->Seek(position));
  position_ = position;
  unread_ = 0;
  heads_.Reset();
  return Status::Ok();
}

Result<Block> BlockReader::Next(std::initializer_list<Block::Kind> kinds, std::uint64_t sequence) {
  if (unread_ > 0) PS_RETURN_IF_ERROR(file_->Seek(position_ += std::exchange(unread_, 0)));
  block_position_ = position_;
  Head head;
  const Result<std::size_t> size = file_->Read(&head, sizeof(head));
  if (!size.ok()) return size.status();
  const bool has_magic = std::memcmp(&head, kMagic.data(), std::min(size.value(), kMagic.size())) == 0;
  if (!has_magic && position_ == 0) return Status::InvalidArgument(path_ + " is no file of a checkpoint");
  position_ += size.value();
  if (size.value() < sizeof(head)) return CutOff();
  if (!has_magic || head.digest != DigestOf(head)) return Damage("the head of a block is wrong");
  if (head.format == 0) return Damage("the head of a block is wrong");
  if (head.format > Block::kFormat) {
    return Status::InvalidArgument(path_ + " was written by a newer version: its format is " +
                                   std::to_string(head.format) + ", the newest known here is " +
                                   std::to_string(Block::kFormat));
  }
  block_ = {static_cast<Block::Kind>(head.kind),
            head.sequence,
            head.begin,
            head.count,
            head.bytes,
            head.body_digest};
  if (std::find(kinds.begin(), kinds.end(), block_.kind) == kinds.end()) {
    return Damage("a block of kind " + std::to_string(head.kind) + " does not belong here");
  }
  if (block_.sequence != sequence) {
    return Damage("block " + std::to_string(head.sequence) + " stands in the place of block " +
                  std::to_string(sequence));
  }
  if (position_ + block_.bytes < position_) return Damage("a block has no end");
  heads_.Add(&head, sizeof(head));
  unread_ = block_.bytes;
  return block_;
}

Status BlockReader::Body(std::vector<char>* body) {
  // A buffer that is used again is large enough from the start.
  for (std::size_t done = 0; unread_ > 0 || body->size() > done;) {
    const std::uint64_t wanted =
        std::min<std::uint64_t>(done + unread_, std::max({kStep, 2 * done, body->size()}));
    body->resize(static_cast<std::size_t>(wanted));
    const Result<std::size_t> size = file_->Read(body->data() + done, body->size() - done);
    if (!size.ok()) return size.status();
    position_ += size.value();
    unread_ -= size.value();
    done += size.value();
    if (done < body->size()) return CutOff();
  }
  if (ps::DigestOf(body->data(), body->size()) != block_.digest) {
    return Damage("a block of " + std::to_string(block_.bytes) + " bytes has another checksum");
  }
  return Status::Ok();
}

std::uint64_t BlockReader::TakeDigest() {
  const std::uint64_t digest = heads_.value();
  heads_.Reset();
  return digest;
}

Result<bool> BlockReader::AtEnd() {
  if (unread_ > 0) PS_RETURN_IF_ERROR(file_->Seek(position_ += std::exchange(unread_, 0)));
  char byte = 0;
  const Result<std::size_t> size = file_->Read(&byte, 1);
  if (!size.ok()) return size.status();
  position_ += size.value();
  return size.value() == 0;
}

}  // namespace ps
