#include "tools/ps_ckpt/show.h"

#include <array>
#include <cstring>
#include <ctime>
#include <set>
#include <sstream>
#include <type_traits>

namespace ps {
namespace {

std::string TimeText(std::int64_t ms) {
  const std::time_t seconds = ms / 1000;
  std::tm parts{};
  std::array<char, 64> text{};
  if (gmtime_r(&seconds, &parts) == nullptr) return "at an unknown time";
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text.data();
}

template <typename T>
void Write(const char* from, std::ostream* out) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  if constexpr (std::is_floating_point_v<T>) {
    *out << value;
  } else {
    *out << +value;
  }
}

// Of the types that can be masters.
void WriteElement(DType dtype, const char* from, std::ostream* out) {
  switch (dtype) {
    case DType::kF64: return Write<double>(from, out);
    case DType::kU8:
    case DType::kBool: return Write<std::uint8_t>(from, out);
    case DType::kI32: return Write<std::int32_t>(from, out);
    case DType::kI8: return Write<std::int8_t>(from, out);
    case DType::kI64: return Write<std::int64_t>(from, out);
    case DType::kI16: return Write<std::int16_t>(from, out);
    case DType::kU16: return Write<std::uint16_t>(from, out);
    case DType::kU32: return Write<std::uint32_t>(from, out);
    case DType::kU64: return Write<std::uint64_t>(from, out);
    default: return Write<float>(from, out);
  }
}

}  // namespace

std::string ShowManifest(const Manifest& manifest) {
  std::set<std::string> tables;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  for (const ShardFile& file : manifest.shards) {
    bytes += file.bytes;
    for (const SavedPart& part : file.parts) {
      tables.insert(part.name);
      rows += part.num_rows;
    }
  }
  std::ostringstream out;
  out << manifest.shards.size() << " servers, " << tables.size() << " tables, " << rows << " rows, " << bytes
      << " bytes, saved " << TimeText(manifest.saved_at_ms);
  return out.str();
}

std::string ShowRecord(const TableRecord& record) {
  const TableSpec& spec = record.spec;
  std::ostringstream out;
  out << "table " << spec.name << ": " << NameOf(spec.dtype);
  if (spec.kind == TableSpec::kHash) {
    out << ", hash, width " << spec.width;
  } else if (record.IsOfBytes()) {
    out << " of the program's own code on " << spec.rows << " servers";
  } else {
    out << ", dense " << spec.rows << " x " << spec.width;
  }
  out << ", updater " << record.RuleInForce().choice.name << " with " << record.num_states << " states, ";
  switch (spec.consistency.mode) {
    case Consistency::kAsp: out << "asp"; break;
    case Consistency::kSsp: out << "ssp " << spec.consistency.bound; break;
    case Consistency::kBsp: out << "bsp"; break;
  }
  out << "; version " << record.version << ", " << record.num_updates << " updates, " << record.gate.version
      << " rounds";
  return out.str();
}

std::string ShowRow(const TableRecord& record, const Shard::Piece& piece, std::size_t place) {
  const DType dtype = MasterOf(record.spec.dtype);
  const auto width = static_cast<std::size_t>(record.spec.width);
  const char* const arrays = static_cast<const char*>(piece.arrays);
  std::ostringstream out;
  out.precision(9);
  out << piece.rows[place] << ":";
  for (std::size_t array = 0; array < static_cast<std::size_t>(1 + record.num_states); ++array) {
    if (array > 0) out << " |";
    for (std::size_t column = 0; column < width; ++column) {
      const std::size_t element = (array * piece.rows.count + place) * width + column;
      out << ' ';
      WriteElement(dtype, arrays + element * SizeOf(dtype), &out);
    }
  }
  out << '\n';
  return out.str();
}

}  // namespace ps
