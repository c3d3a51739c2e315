// Tables whose every element is known, and servers that save them.
#ifndef PS_TESTS_STORE_CHECKPOINT_SAVED_TABLE_H_
#define PS_TESTS_STORE_CHECKPOINT_SAVED_TABLE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ps/table_spec.h"
#include "store/checkpoint/manifest.h"
#include "store/checkpoint/reader.h"
#include "store/checkpoint/writer.h"
#include "store/partition.h"

namespace ps {

constexpr std::size_t kRowsPerPiece = 7;

inline TableSpec DenseSpec(const std::string& name, std::int64_t rows, std::int64_t width) {
  TableSpec spec;
  spec.name = name;
  spec.rows = rows;
  spec.width = width;
  spec.min_split = 0;
  spec.consistency = Consistency::Bsp();
  return spec;
}

inline TableSpec HashSpec(const std::string& name, std::int64_t width) {
  TableSpec spec = DenseSpec(name, 0, width);
  spec.kind = TableSpec::kHash;
  spec.dtype = DType::kF64;
  spec.consistency = Consistency::Asp();
  return spec;
}

// Keys of hash tables are multiples of an odd number.
inline std::uint64_t HashKey(std::uint64_t i) { return i * 0x9E3779B97F4A7C15u; }

template <typename T>
T Element(std::uint64_t row, std::size_t array, std::size_t column) {
  return static_cast<T>((row % 100003) * 100 + array * 10 + column);
}

// The arrays of rows, as a shard hands them out.
template <typename T>
std::vector<T> ArraysOf(const std::vector<std::uint64_t>& rows, const TableRecord& record) {
  std::vector<T> arrays;
  for (std::size_t array = 0; array < static_cast<std::size_t>(1 + record.num_states); ++array) {
    for (const std::uint64_t row : rows) {
      for (std::size_t column = 0; column < static_cast<std::size_t>(record.spec.width); ++column) {
        arrays.push_back(Element<T>(row, array, column));
      }
    }
  }
  return arrays;
}

template <typename T>
Status AddPiece(CheckpointWriter* writer, const TableRecord& record, const std::vector<std::uint64_t>& rows) {
  const std::vector<T> arrays = ArraysOf<T>(rows, record);
  const bool is_hash = record.spec.kind == TableSpec::kHash;
  const RowSet set =
      is_hash ? RowSet::List(rows.data(), rows.size()) : RowSet::Range(rows.front(), rows.size());
  return writer->Add({set, arrays.data(), arrays.size() * sizeof(T)});
}

inline TableRecord RecordOf(const TableSpec& spec, int num_states, const Range& range) {
  TableRecord record;
  record.spec = spec;
  record.num_states = num_states;
  record.range = range;
  record.version = 100 + range.begin();
  record.num_updates = 50 + range.begin();
  record.gate.version = 20;
  record.gate.clocks = {{20, GateState::kStays}, {20 + range.begin(), 25}};
  return record;
}

// One server's part of a table; of a hash table of `num_keys`.
inline Status SavePart(CheckpointWriter* writer, const TableRecord& record, std::uint64_t num_keys) {
  PS_RETURN_IF_ERROR(writer->BeginTable(record));
  const bool is_hash = record.spec.kind == TableSpec::kHash;
  std::vector<std::uint64_t> rows;
  for (std::uint64_t i = 0; is_hash && i < num_keys; ++i) {
    const std::uint64_t slot = Partition::SlotOf(HashKey(i));
    if (record.range.begin() <= slot && slot < record.range.end()) rows.push_back(HashKey(i));
  }
  for (std::uint64_t row = record.range.begin(); !is_hash && row < record.range.end(); ++row)
    rows.push_back(row);
  for (std::size_t at = 0; at < rows.size(); at += kRowsPerPiece) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(kRowsPerPiece, rows.size() - at));
    const std::vector<std::uint64_t> piece(begin, end);
    PS_RETURN_IF_ERROR(is_hash ? AddPiece<double>(writer, record, piece)
                               : AddPiece<float>(writer, record, piece));
  }
  return writer->EndTable();
}

struct TableToSave {
  TableSpec spec;
  int num_states;
  std::uint64_t num_keys;  // of a hash table
};

inline Result<ShardFile> SaveServer(CheckpointFiles* files, std::uint64_t step, int server, int num_servers,
                                    const std::vector<TableToSave>& tables) {
  Result<std::unique_ptr<CheckpointWriter>> writer = CheckpointWriter::Create(files, step, server);
  if (!writer.ok()) return writer.status();
  for (const TableToSave& table : tables) {
    const Range range = Partition(table.spec, num_servers, false).RangeOf(server);
    if (range.size() == 0) continue;
    PS_RETURN_IF_ERROR(
        SavePart(writer.value().get(), RecordOf(table.spec, table.num_states, range), table.num_keys));
  }
  return writer.value()->Finish();
}

// What a whole job does.
inline Status Save(CheckpointFiles* files, std::uint64_t step, int num_servers,
                   const std::vector<TableToSave>& tables) {
  Manifest manifest;
  manifest.step = step;
  manifest.epoch = 3;
  for (int server = 0; server < num_servers; ++server) {
    Result<ShardFile> file = SaveServer(files, step, server, num_servers, tables);
    if (!file.ok()) return file.status();
    manifest.shards.push_back(std::move(file.value()));
  }
  return WriteManifest(files, manifest);
}

inline std::vector<TableToSave> TwoTables() {
  return {{DenseSpec("dense", 50, 3), 2, 0}, {HashSpec("hash", 2), 1, 60}};
}

// Reads a range and counts the rows that are right, each once.
template <typename T>
Result<std::size_t> CountRight(CheckpointReader* reader, const TableToSave& table, const Range& range) {
  const TableRecord record = RecordOf(table.spec, table.num_states, range);
  std::vector<std::uint64_t> seen;
  bool right = true;
  PS_RETURN_IF_ERROR(reader->ForEachPiece(table.spec.name, range, [&](const Shard::Piece& piece) {
    std::vector<std::uint64_t> rows;
    for (std::size_t i = 0; i < piece.rows.count; ++i) rows.push_back(piece.rows[i]);
    const std::vector<T> expected = ArraysOf<T>(rows, record);
    const T* const arrays = static_cast<const T*>(piece.arrays);
    right = right && piece.bytes == expected.size() * sizeof(T) &&
            std::equal(expected.begin(), expected.end(), arrays);
    seen.insert(seen.end(), rows.begin(), rows.end());
    return Status::Ok();
  }));
  std::sort(seen.begin(), seen.end());
  const bool once = std::adjacent_find(seen.begin(), seen.end()) == seen.end();
  return right && once ? seen.size() : 0;
}

}  // namespace ps
#endif  // PS_TESTS_STORE_CHECKPOINT_SAVED_TABLE_H_
