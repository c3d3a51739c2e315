#ifndef PS_STORE_CHECKPOINT_BLOCK_H_
#define PS_STORE_CHECKPOINT_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ps/status.h"
#include "store/checkpoint/files.h"
#include "store/digest.h"

namespace ps {

// Files of checkpoints are rows of blocks: a head of 64 bytes, little-endian, and a body of any length.
//
//   0 magic  8 kind, format (32 bits each)  16 sequence  24 begin  32 count  40 bytes of the body
//   48 digest of the body  56 digest of the bytes before
//
// The head has this form in every format to come, so that an older program can say that a file is newer.
//
// A shard file: kFile, then for each table kTable, kRows or kKeys as often as it takes, kTableEnd.
// A manifest: kManifest.
struct Block {
  enum Kind : std::uint32_t {
    kFile = 1,      // begin: the server, count: the step
    kTable = 2,     // body: a table's record (record.h)
    kRows = 3,      // `count` rows from `begin` on. Body: arrays as in Shard::Piece
    kKeys = 4,      // `count` keys. Body: the keys (64 bits each), then the arrays
    kTableEnd = 5,  // begin: blocks between, count: rows in them
    kManifest = 6,  // count: the step. Body: manifest.h
  };
  static constexpr std::size_t kHeadBytes = 64;
  static constexpr std::uint32_t kFormat = 1;

  Kind kind = kFile;
  std::uint64_t sequence = 0;  // within its table
  std::uint64_t begin = 0;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t digest = 0;
};

// Appends blocks to a file. Borrows it.
class BlockWriter {
 public:
  explicit BlockWriter(FileWriter* file) : file_(file) {}

  // `block`, with the size and digest of the body that these parts make up.
  Status Append(Block block, std::initializer_list<std::string_view> body);
  std::uint64_t position() const { return position_; }
  // Of the heads since the last call: with those of bodies in them it stands for everything.
  std::uint64_t TakeDigest();

 private:
  FileWriter* const file_;
  std::uint64_t position_ = 0;
  Digester heads_;
  Digester body_;
};

// Reads blocks of a file. What is wrong with it is told apart, with its path and the place: kInvalidArgument
// for no checkpoint at all, a newer format, and damage; kFailedPrecondition for a file that ends too early.
class BlockReader {
 public:
  // `path` is for messages.
  BlockReader(std::unique_ptr<FileReader> file, std::string path);

  // Continues there.
  Status Seek(std::uint64_t position);
  // The next head; what is left of the body before it is skipped. kInvalidArgument also unless it is one of
  // `kinds` with this sequence number.
  Result<Block> Next(std::initializer_list<Block::Kind> kinds, std::uint64_t sequence);
  // The body of the block that Next returned, checked. Memory grows with what comes, whatever the head says.
  Status Body(std::vector<char>* body);
  std::uint64_t position() const { return position_; }
  std::uint64_t TakeDigest();
  // Whether the file ends here.
  Result<bool> AtEnd();
  // `what`, said of the block that Next returned.
  Status Damage(const std::string& what) const;

 private:
  Status CutOff() const;

  const std::unique_ptr<FileReader> file_;
  const std::string path_;
  std::uint64_t position_ = 0;  // of what is read next
  std::uint64_t unread_ = 0;    // bytes of the body
  Block block_;
  std::uint64_t block_position_ = 0;
  Digester heads_;
};

}  // namespace ps
#endif  // PS_STORE_CHECKPOINT_BLOCK_H_
