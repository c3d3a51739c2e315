#include "store/checkpoint/reader.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "store/partition.h"
#include "store/spec_bytes.h"

namespace ps {
namespace {

Range Common(const Range& a, const Range& b) {
  const std::uint64_t begin = std::max(a.begin(), b.begin());
  return Range(begin, std::max(begin, std::min(a.end(), b.end())));
}

// What is known of both parts, see Find.
Status Merge(const TableRecord& part, TableRecord* record) {
  if (!part.RuleInForce().IsSameChoice(record->RuleInForce()) || part.num_states != record->num_states) {
    return Status::InvalidArgument(
        "table `" + record->spec.name + "` was saved while its rule was changed: some servers had updater " +
        record->RuleInForce().choice.name + ", others " + part.RuleInForce().choice.name);
  }
  record->version = std::max(record->version, part.version);
  record->num_updates = std::max(record->num_updates, part.num_updates);
  GateState& gate = record->gate;
  gate.version = std::min(gate.version, part.gate.version);
  gate.num_dropped += part.gate.num_dropped;
  const std::size_t count = std::min(gate.clocks.size(), part.gate.clocks.size());
  for (std::size_t i = 0; i < count; ++i) {
    gate.clocks[i].completed = std::min(gate.clocks[i].completed, part.gate.clocks[i].completed);
    gate.clocks[i].last = std::min(gate.clocks[i].last, part.gate.clocks[i].last);
  }
  return Status::Ok();
}

}  // namespace

CheckpointReader::CheckpointReader(CheckpointFiles* files, Manifest manifest)
    : files_(files), manifest_(std::move(manifest)) {
  for (const ShardFile& file : manifest_.shards) {
    for (const SavedPart& part : file.parts) places_[part.name].push_back({&file, &part});
  }
}

Result<std::unique_ptr<CheckpointReader>> CheckpointReader::Open(CheckpointFiles* files, std::uint64_t step) {
  Result<Manifest> manifest = ReadManifest(files, step);
  if (!manifest.ok()) return manifest.status();
  return std::unique_ptr<CheckpointReader>(new CheckpointReader(files, std::move(manifest.value())));
}

std::vector<std::string> CheckpointReader::Tables() const {
  std::vector<std::string> tables;
  for (const auto& [name, places] : places_) tables.push_back(name);
  return tables;
}

Result<std::vector<CheckpointReader::Place>> CheckpointReader::PlacesOf(const std::string& table,
                                                                        const Range& range) const {
  const auto found = places_.find(table);
  if (found == places_.end()) {
    return Status::NotFound(files_->PathOf(ManifestName(manifest_.step)) + " has no table `" + table + "`");
  }
  const SavedPart& first = *found->second.front().part;
  if (range.begin() > range.end() || range.end() > first.num_units) {
    return Status::InvalidArgument("table `" + table + "` was saved with " + std::to_string(first.num_units) +
                                   (first.is_hash ? " slots" : " rows") + ": there are none from " +
                                   std::to_string(range.begin()) + " to " + std::to_string(range.end()));
  }
  std::vector<Place> places;
  for (const Place& place : found->second) {
    if (Common(place.part->range, range).size() > 0) places.push_back(place);
  }
  return places;
}

// Opens the file of a server, unless it is open, and checks that it is that server's.
Result<BlockReader*> CheckpointReader::FileOf(const ShardFile& file) {
  if (file_ != nullptr && server_ == file.server) return file_.get();
  const std::string name = ShardName(manifest_.step, file.server);
  Result<std::unique_ptr<FileReader>> opened = files_->Open(name);
  if (!opened.ok()) return opened.status();
  file_ = std::make_unique<BlockReader>(std::move(opened.value()), files_->PathOf(name));
  server_ = -1;
  const Result<Block> head = file_->Next({Block::kFile}, 0);
  if (!head.ok()) return head.status();
  if (head.value().begin != static_cast<std::uint64_t>(file.server) || head.value().count != manifest_.step) {
    return file_->Damage("it is that of server " + std::to_string(head.value().begin) + " and step " +
                         std::to_string(head.value().count));
  }
  server_ = file.server;
  return file_.get();
}

// The record of a part. What follows in file_ is its pieces.
Result<TableRecord> CheckpointReader::BeginPart(const Place& place) {
  const Result<BlockReader*> file = FileOf(*place.file);
  if (!file.ok()) return file.status();
  PS_RETURN_IF_ERROR(file_->Seek(place.part->position));
  const Result<Block> block = file_->Next({Block::kTable}, 0);
  if (!block.ok()) return block.status();
  PS_RETURN_IF_ERROR(file_->Body(&body_));
  Result<TableRecord> record = DecodeTableRecord(std::string_view(body_.data(), body_.size()));
  if (!record.ok()) return file_->Damage(record.status().message());
  if (HashOf(record.value().spec) != place.part->spec_digest || record.value().range != place.part->range) {
    return file_->Damage("the table is not that of the manifest: the file is of another save");
  }
  return record;
}

Result<TableRecord> CheckpointReader::Find(const std::string& table) {
  const auto found = places_.find(table);
  return Find(table, found == places_.end() ? Range() : Range(0, found->second.front().part->num_units));
}

Result<TableRecord> CheckpointReader::Find(const std::string& table, const Range& range) {
  const Result<std::vector<Place>> places = PlacesOf(table, range);
  if (!places.ok()) return places.status();
  if (places.value().empty()) return Status::InvalidArgument("table `" + table + "`: no rows are asked for");
  TableRecord merged;
  for (const Place& place : places.value()) {
    Result<TableRecord> record = BeginPart(place);
    if (!record.ok()) return record.status();
    if (&place == &places.value().front()) {
      merged = std::move(record.value());
    } else {
      PS_RETURN_IF_ERROR(Merge(record.value(), &merged));
    }
  }
  merged.range = range;
  return merged;
}

Status CheckpointReader::Verify(const std::string& table, const Range& range) {
  return ForEachPiece(table, range, [](const Shard::Piece&) { return Status::Ok(); });
}

Status CheckpointReader::ForEachPiece(const std::string& table, const Range& range, const Take& take) {
  const Result<std::vector<Place>> places = PlacesOf(table, range);
  if (!places.ok()) return places.status();
  for (const Place& place : places.value()) PS_RETURN_IF_ERROR(ReadPart(place, range, take));
  return Status::Ok();
}

Status CheckpointReader::ReadPart(const Place& place, const Range& range, const Take& take) {
  const Result<TableRecord> record = BeginPart(place);
  if (!record.ok()) return record.status();
  const Block::Kind kind = place.part->is_hash ? Block::kKeys : Block::kRows;
  std::uint64_t num_rows = 0;
  for (std::uint64_t sequence = 1;; ++sequence) {
    const Result<Block> block = file_->Next({kind, Block::kTableEnd}, sequence);
    if (!block.ok()) return block.status();
    if (block.value().kind == Block::kTableEnd)
      return CheckEnd(place, block.value(), num_rows, !place.part->is_hash && !record.value().IsOfBytes());
    num_rows += block.value().count;
    PS_RETURN_IF_ERROR(ReadPiece(record.value(), block.value(), range, take));
  }
}

// `is_counted`: how many rows there must be is known.
Status CheckpointReader::CheckEnd(const Place& place, const Block& end, std::uint64_t num_rows,
                                  bool is_counted) {
  const SavedPart& part = *place.part;
  if (end.count != num_rows || num_rows != part.num_rows || (is_counted && num_rows != part.range.size()) ||
      end.begin + 1 != end.sequence) {
    return file_->Damage("table `" + part.name + "` ends after " + std::to_string(num_rows) +
                         " rows instead of " + std::to_string(part.num_rows));
  }
  if (file_->TakeDigest() != part.digest) {
    return file_->Damage("table `" + part.name +
                         "` is not that of the manifest: the file is of another save");
  }
  return Status::Ok();
}

Status CheckpointReader::ReadPiece(const TableRecord& record, const Block& block, const Range& range,
                                   const Take& take) {
  const bool is_hash = block.kind == Block::kKeys;
  const std::uint64_t key_bytes = is_hash ? sizeof(std::uint64_t) : 0;
  const std::uint64_t row_bytes = record.RowBytes() + key_bytes;
  const Range rows(block.begin, block.begin + block.count);
  if (block.bytes / row_bytes != block.count || block.bytes % row_bytes != 0 ||
      (!is_hash &&
       (rows.begin() > rows.end() || (!record.IsOfBytes() && Common(rows, record.range) != rows)))) {
    return file_->Damage("a piece of " + std::to_string(block.count) + " rows and " +
                         std::to_string(block.bytes) + " bytes does not belong to table `" +
                         record.spec.name + "`");
  }
  if (!is_hash && !record.IsOfBytes() && Common(rows, range).size() == 0) return Status::Ok();
  PS_RETURN_IF_ERROR(file_->Body(&body_));
  Shard::Piece piece{RowSet::Range(block.begin, block.count), body_.data(), body_.size()};
  if (is_hash) {
    keys_.resize(block.count);
    const std::size_t size = block.count * sizeof(std::uint64_t);
    if (size > 0) std::memcpy(keys_.data(), body_.data(), size);
    piece = {RowSet::List(keys_.data(), block.count), body_.data() + size, body_.size() - size};
  }
  if (record.IsOfBytes()) return take(piece);
  piece = cutter_.Cut(record, piece, range);
  return piece.rows.count == 0 ? Status::Ok() : take(piece);
}

}  // namespace ps
