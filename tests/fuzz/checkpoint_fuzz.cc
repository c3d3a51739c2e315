// Files of checkpoints: manifests, servers' answers, records of tables, and shard files read as a server
// reads them. The first byte chooses. Shard files come as they are, or with all checksums made right, so that
// what is behind them is reached too.

#include <dmlc/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "store/checkpoint/block.h"
#include "store/checkpoint/manifest.h"
#include "store/checkpoint/reader.h"
#include "store/checkpoint/record.h"
#include "store/partition.h"
#include "store/spec_bytes.h"
#include "tests/support/fake_files.h"

namespace ps {
namespace {

constexpr std::uint64_t kStep = 7;
constexpr std::size_t kCount = 32;
constexpr std::size_t kBytes = 40;
constexpr std::size_t kDigest = 56;

std::uint64_t NumberAt(const std::string& text, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, text.data() + at, sizeof(value));
  return value;
}

void PutNumber(std::uint64_t value, std::size_t at, std::string* text) {
  std::memcpy(text->data() + at, &value, sizeof(value));
}

// Makes the magic and the checksums of the block there right. Where the next one is; 0: its body is not
// there.
std::size_t Repair(std::size_t at, std::string* text) {
  if (text->size() - at < Block::kHeadBytes) return 0;
  const std::uint64_t bytes = NumberAt(*text, at + kBytes);
  if (bytes > text->size() - at - Block::kHeadBytes) return 0;
  std::memcpy(text->data() + at, "\x89PSC\r\n\x1a\n", 8);
  PutNumber(DigestOf(text->data() + at + Block::kHeadBytes, bytes), at + Block::kHeadBytes - 16, text);
  PutNumber(DigestOf(text->data() + at, kDigest), at + kDigest, text);
  return at + Block::kHeadBytes + bytes;
}

// A part as the manifest would have it that is about this file.
void AddPart(const std::string& text, std::size_t at, ShardFile* file) {
  const std::string_view body(text.data() + at + Block::kHeadBytes, NumberAt(text, at + kBytes));
  const Result<TableRecord> record = DecodeTableRecord(body);
  if (!record.ok()) return;
  const TableSpec& spec = record.value().spec;
  SavedPart part;
  part.name = spec.name + std::to_string(file->parts.size());
  part.spec_digest = HashOf(spec);
  part.is_hash = spec.kind == TableSpec::kHash;
  part.num_units = part.is_hash ? Partition::kNumSlots : static_cast<std::uint64_t>(spec.rows);
  part.range = record.value().range;
  part.position = at;
  file->parts.push_back(part);
}

// Finds the tables of a file, and the digests of their heads.
ShardFile PartsOf(const std::string& text) {
  ShardFile file;
  file.bytes = text.size();
  Digester heads;
  for (std::size_t at = 0; text.size() - at >= Block::kHeadBytes;) {
    std::uint32_t kind = 0;
    std::memcpy(&kind, text.data() + at + 8, sizeof(kind));
    const std::uint64_t bytes = NumberAt(text, at + kBytes);
    if (bytes > text.size() - at - Block::kHeadBytes) break;
    if (kind == Block::kTable) heads.Reset();
    heads.Add(text.data() + at, Block::kHeadBytes);
    if (kind == Block::kTable) AddPart(text, at, &file);
    at += Block::kHeadBytes + bytes;
    if (kind != Block::kTableEnd || file.parts.empty()) continue;
    SavedPart& part = file.parts.back();
    part.bytes = at - part.position;
    part.digest = heads.value();
    part.num_rows = NumberAt(text, at - Block::kHeadBytes + kCount);
  }
  return file;
}

// Reads all tables of a shard file, and a part of each.
void FuzzShardFile(std::string text, bool repair) {
  for (std::size_t at = 0, next = 0; repair && (next = Repair(at, &text)) != 0;) at = next;
  Manifest manifest;
  manifest.step = kStep;
  manifest.shards.push_back(PartsOf(text));
  FakeFiles files;
  files.files[ShardName(kStep, 0)] = text;
  if (!WriteManifest(&files, manifest).ok()) return;  // parts of tables
  const auto reader = std::move(CheckpointReader::Open(&files, kStep).value());
  for (const std::string& table : reader->Tables()) {
    const Result<TableRecord> record = reader->Find(table);
    if (!record.ok()) continue;
    const Range all = record.value().range;
    for (const Range& range : {all, Range(all.end() / 3, all.end() / 2)}) {
      const Status status = reader->ForEachPiece(table, range, [&](const Shard::Piece& piece) {
        CHECK_EQ(piece.bytes, piece.rows.count * record.value().RowBytes());
        for (std::size_t i = 0; i < piece.rows.count; ++i) {
          const std::uint64_t row = piece.rows[i];
          const std::uint64_t unit = piece.rows.is_range() ? row : Partition::SlotOf(row);
          CHECK(range.begin() <= unit && unit < range.end());
        }
        return Status::Ok();
      });
      CHECK(status.code() != StatusCode::kInternal);
    }
  }
}

void FuzzManifestFile(std::string text, bool repair) {
  if (repair) Repair(0, &text);
  FakeFiles files;
  files.files[ManifestName(kStep)] = text;
  const Result<Manifest> manifest = ReadManifest(&files, kStep);
  if (manifest.ok()) CHECK(manifest.value().Validate().ok());
}

void Fuzz(std::uint8_t choice, const std::string& text) {
  switch (choice % 8) {
    case 0: {
      const Result<Manifest> manifest = DecodeManifest(text);
      if (manifest.ok()) CHECK(DecodeManifest(EncodeManifest(manifest.value())).ok());
      return;
    }
    case 1: {
      const Result<ShardFile> file = DecodeShardFile(text);
      if (file.ok())
        CHECK_EQ(DecodeShardFile(EncodeShardFile(file.value())).value().parts.size(),
                 file.value().parts.size());
      return;
    }
    case 2: {
      const Result<TableRecord> record = DecodeTableRecord(text);
      if (record.ok()) CHECK(DecodeTableRecord(EncodeTableRecord(record.value())).ok());
      return;
    }
    case 3: return FuzzManifestFile(text, false);
    case 4: return FuzzManifestFile(text, true);
    case 5: return FuzzShardFile(text, false);
    default: return FuzzShardFile(text, true);
  }
}

}  // namespace
}  // namespace ps

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0) ps::Fuzz(data[0], std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  return 0;
}
