#include "ps/table_core.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ps/dtype.h"
#include "ps/status.h"
#include "ps/updater.h"

namespace ps {

TableCore::TableCore(Store& store, const TableSpec& spec, const TableReading& reading)
    : table_(store.Create(spec)),
      num_workers_(store.num_workers()),
      reading_(reading),
      memories_(reading.delta && reading.buffers > 0
                    ? std::make_shared<Memories>(static_cast<std::size_t>(reading.buffers))
                    : nullptr) {
  if (reading.buffers < 1) Refuse("Buffers is 1 or more, not " + std::to_string(reading.buffers));
}

void TableCore::Refuse(const std::string& what) const {
  throw Error(Status::InvalidArgument("table '" + table_->spec().name + "': " + what));
}

// --- checks ---

std::size_t TableCore::NumElements(const Target& target) const {
  const TableSpec& spec = table_->spec();
  const std::size_t rows = target.ids == nullptr ? static_cast<std::size_t>(spec.rows) : target.ids->size();
  return rows * static_cast<std::size_t>(spec.width);
}

Rows TableCore::RowsOf(const Target& target) const {
  if (target.ids == nullptr) return Rows::All();
  const IdList& ids = *target.ids;
  const TableSpec& spec = table_->spec();
  if (spec.kind == TableSpec::kDense) {
    const auto rows = static_cast<std::uint64_t>(spec.rows);
    const std::uint64_t* const end = ids.data() + ids.size();
    const std::uint64_t* const wrong =
        std::find_if(ids.data(), end, [rows](std::uint64_t id) { return id >= rows; });
    if (wrong != end)
      Refuse("there is no row " + std::to_string(static_cast<std::int64_t>(*wrong)) + ", only 0 to " +
             std::to_string(spec.rows - 1));
  }
  return Rows::Of(ids.data(), ids.size());
}

void TableCore::CheckSize(const Target& target, std::size_t size, const char* what) const {
  const std::size_t expected = NumElements(target);
  if (size == expected) return;
  const std::string of = target.ids == nullptr ? "all of it"
                                               : std::to_string(target.ids->size()) + " rows of " +
                                                     std::to_string(table_->spec().width);
  Refuse(std::string(what) + " has " + std::to_string(size) + " elements, " + of + " are " +
         std::to_string(expected));
}

// --- adding ---

// Refused here where the rule is known here; else by the servers.
Ticket TableCore::SetRule(const TableAddOptions& options) const {
  const std::string text = options.RuleText();
  if (text.empty()) return Ticket();
  const TableSpec& spec = table_->spec();
  const UpdaterTarget target{MasterOf(spec.dtype), num_workers_};
  const UpdaterChoice said = ParseUpdater(spec.updater + " " + text).value();
  const Status possible = MakeUpdater(spec.updater, said.options, target).status();
  if (!possible.ok() && possible.code() != StatusCode::kNotFound) Refuse(possible.message());
  return table_->SetOptions(text, StoreTable::kNextRound);
}

// With these a row stays as it is that zeros are added to.
bool TableCore::SkipsZeroRows() const {
  const TableSpec& spec = table_->spec();
  const bool is_plain = spec.updater == "add" || (spec.updater == "sgd" && spec.updater_options.empty());
  return reading_.delta && is_plain;
}

// Of a whole matrix. Rows are told by their bytes, so that -0 and NaN are sent.
Ticket TableCore::AddChangedRows(const In& values, const AddOptions& options) {
  const TableSpec& spec = table_->spec();
  const auto rows = static_cast<std::size_t>(spec.rows);
  const std::size_t row_bytes = static_cast<std::size_t>(spec.width) * SizeOf(spec.dtype);
  const char* const bytes = static_cast<const char*>(values.data);
  const std::string zeros(row_bytes, '\0');
  std::vector<std::uint64_t> ids;
  for (std::size_t row = 0; row < rows; ++row) {
    if (std::memcmp(bytes + row * row_bytes, zeros.data(), row_bytes) != 0) ids.push_back(row);
  }
  if (ids.size() == rows) return table_->AddAsync(Rows::All(), values.data, options);
  const auto packed = std::make_shared<std::vector<char>>(ids.size() * row_bytes);
  for (std::size_t i = 0; i < ids.size(); ++i)
    std::memcpy(packed->data() + i * row_bytes, bytes + ids[i] * row_bytes, row_bytes);
  AddOptions packed_options = options;
  packed_options.borrow = true;
  packed_options.keep = packed;
  return table_->AddAsync(Rows::Of(ids), packed->data(), packed_options);
}

Ticket TableCore::AddAsync(const Target& target, const In& values, const TableAddOptions& options) {
  CheckSize(target, values.size, "what is added");
  const Rows rows = RowsOf(target);
  if (values.data == nullptr && values.size != 0) Refuse("no values are given");
  const Ticket rule = SetRule(options);
  const Ticket added = target.ids == nullptr && SkipsZeroRows()
                           ? AddChangedRows(values, options)
                           : table_->AddAsync(rows, values.data, options);
  return options.RuleText().empty() ? added : AllOf({rule, added});
}

void TableCore::Add(const Target& target, const In& values, const TableAddOptions& options) {
  const bool is_plain = options.RuleText().empty() && !(target.ids == nullptr && SkipsZeroRows());
  if (!is_plain) {
    // What is sent is the library's own copy: nothing of the caller's is used where the wait is refused.
    TableAddOptions copied = options;
    copied.borrow = false;
    AddAsync(target, values, copied).Wait();
    return;
  }
  CheckSize(target, values.size, "what is added");
  table_->Add(RowsOf(target), values.data, options);
}

// --- reading ---

GetOptions TableCore::ReadingWith(const TableGetOptions& options) const {
  GetOptions with;
  with.priority = options.priority;
  with.changed = options.changed;
  with.keep = options.keep;
  if (options.buffer == TableGetOptions::kFull) return with;
  if (options.buffer < 0 || options.buffer >= reading_.buffers)
    Refuse("there is no buffer " + std::to_string(options.buffer) + ", only 0 to " +
           std::to_string(reading_.buffers - 1) + " (Buffers)");
  if (!reading_.delta) return with;
  with.memory = &(*memories_)[static_cast<std::size_t>(options.buffer)];
  using Kept = std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>;
  with.keep = std::make_shared<const Kept>(memories_, options.keep);
  return with;
}

Ticket TableCore::GetAsync(const Target& target, const Out& to, const TableGetOptions& options) {
  CheckSize(target, to.size, "the buffer for what is read");
  return table_->GetAsync(RowsOf(target), to.data, ReadingWith(options));
}

void TableCore::Get(const Target& target, const Out& to, const TableGetOptions& options) {
  CheckSize(target, to.size, "the buffer for what is read");
  table_->Get(RowsOf(target), to.data, ReadingWith(options));
}

}  // namespace ps
