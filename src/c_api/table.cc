#include "ps/c/table.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "c_api/error.h"
#include "c_api/handles.h"
#include "c_api/request.h"
#include "c_api/store.h"
#include "c_api/structs.h"
#include "c_api/table_spec.h"
#include "ps/dtype.h"
#include "ps/id_list.h"
#include "ps/table_core.h"
#include "ps/table_options.h"
#include "ps/updater.h"
#include "store/followed_ticket.h"

namespace ps::c_api {
namespace {

// A table, and the store that it is of.
class TableHold {
 public:
  TableHold(std::shared_ptr<StoreHold> store, const TableSpec& spec, const TableReading& reading)
      : store_(std::move(store)), core_(store_->store(), spec, reading) {}

  // What a function with a request ends with.
  void Finish(const Ticket& ticket, PSRequest* request) { c_api::Finish(ticket, request, store_->node()); }
  TableCore& core() { return core_; }
  StoreTable& table() { return core_.table(); }
  const TableSpec& spec() { return core_.table().spec(); }

 private:
  const std::shared_ptr<StoreHold> store_;
  TableCore core_;
};

}  // namespace

template <>
struct HandleTraits<PSTable> {
  using Object = TableHold;
  static constexpr char kName[] = "PSTable";
};

namespace {

[[noreturn]] void Refuse(TableHold& table, const std::string& what) {
  throw Error(Status::InvalidArgument("table '" + table.spec().name + "': " + what));
}

void CheckAligned(TableHold& table, const void* array, std::size_t bytes, const char* name) {
  if (reinterpret_cast<std::uintptr_t>(array) % bytes != 0)
    Refuse(table,
           std::string(name) + " is not aligned for its elements of " + std::to_string(bytes) + " bytes");
}

// What a call is about, checked as far as a lie about it would be read or written for memory.
class Arguments {
 public:
  Arguments(TableHold& table, const PSTableValues* given) : what_(ReadStruct(given, "PSTableValues")) {
    CheckGiven(given, "the PSTableValues");
    if (what_.num_values > 0) CheckGiven(what_.values, "values");
    CheckAligned(table, what_.values, SizeOf(table.spec().dtype), "values");
    CheckAligned(table, what_.ids, sizeof(std::int64_t), "ids");
    if (what_.num_ids > what_.num_values)
      Refuse(table, std::to_string(what_.num_values) + " elements are too few for " +
                        std::to_string(what_.num_ids) + " ids");
    if (what_.ids == nullptr && what_.num_ids > 0) CheckGiven(what_.ids, "ids");
    if (what_.ids == nullptr && table.spec().kind == TableSpec::kHash)
      Refuse(table, "a map has no whole: name keys");
    if (what_.ids != nullptr) ids_.emplace(what_.ids, what_.num_ids);
  }

  const PSTableValues& what() const { return what_; }
  TableCore::Target target() const { return {ids_ ? &*ids_ : nullptr}; }
  Rows rows() const { return ids_ ? Rows::Of(ids_->data(), ids_->size()) : Rows::All(); }
  TableCore::In in() const { return {what_.values, what_.num_values}; }
  TableCore::Out out() const { return {what_.values, what_.num_values}; }

 private:
  const PSTableValues what_;
  std::optional<IdList> ids_;
};

void AddValues(TableHold& table, const PSTableValues* given, PSRequest* request) {
  const Arguments arguments(table, given);
  TableAddOptions options;
  options.priority = arguments.what().priority;
  options.borrow = arguments.what().borrow != 0;
  if (arguments.what().rule != nullptr) options.others = arguments.what().rule;
  if (request == nullptr) return table.core().Add(arguments.target(), arguments.in(), options);
  table.Finish(table.core().AddAsync(arguments.target(), arguments.in(), options), request);
}

// What has come, told to the caller when the read is done.
struct Changed {
  std::vector<std::uint32_t> places;
  std::uint32_t* to;
  std::size_t* number;

  void Tell() const {
    std::copy(places.begin(), places.end(), to);
    *number = places.size();
  }
};

void GetValues(TableHold& table, const PSTableValues* given, PSRequest* request) {
  const Arguments arguments(table, given);
  const PSTableValues& what = arguments.what();
  TableGetOptions options;
  options.priority = what.priority;
  options.buffer = what.buffer;
  std::shared_ptr<Changed> changed;
  if (what.changed != nullptr || what.num_changed != nullptr) {
    CheckGiven(what.changed, "changed");
    CheckGiven(what.num_changed, "num_changed");
    changed = std::make_shared<Changed>(Changed{{}, what.changed, what.num_changed});
    options.changed = &changed->places;
    options.keep = changed;
  }
  if (request == nullptr) {
    table.core().Get(arguments.target(), arguments.out(), options);
    if (changed != nullptr) changed->Tell();
    return;
  }
  Ticket ticket = table.core().GetAsync(arguments.target(), arguments.out(), options);
  if (changed != nullptr)
    ticket = Followed(ticket, [changed] {
      changed->Tell();
      return Status::Ok();
    });
  table.Finish(ticket, request);
}

void SetValues(TableHold& table, const PSTableValues* given, PSRequest* request) {
  const Arguments arguments(table, given);
  const std::size_t needed = table.core().NumElements(arguments.target());
  if (arguments.what().num_values != needed)
    Refuse(table, "what is set has " + std::to_string(arguments.what().num_values) + " elements, and needs " +
                      std::to_string(needed));
  table.Finish(table.table().SetAsync(arguments.rows(), arguments.what().values), request);
}

void EraseRows(TableHold& table, const int64_t* ids, std::size_t num_ids, PSRequest* request) {
  if (ids == nullptr)
    Refuse(table, "no ids are given of what is erased (PSStoreEraseTable forgets a whole table)");
  CheckAligned(table, ids, sizeof(std::int64_t), "ids");
  const IdList list(ids, num_ids);
  const Rows rows = Rows::Of(list.data(), list.size());
  table.Finish(table.table().EraseAsync(rows), request);
}

void ChangeRule(TableHold& table, const char* updater, PSRequest* request) {
  CheckGiven(updater, "updater");
  table.Finish(table.table().SetUpdater(ParseUpdater(updater).value(), table.spec().multi_precision),
               request);
}

std::shared_ptr<TableHold> MakeTable(PSStore store, const PSTableOptions* given) {
  CheckGiven(given, "the PSTableOptions");
  const PSTableOptions options = ReadStruct(given, "PSTableOptions");
  const TableSpec spec = SpecOf(options);
  return std::make_shared<TableHold>(ObjectOf(store), spec, ReadingOf(options));
}

// Runs `body` with the table of a handle.
template <typename Body>
int With(PSTable table, Body&& body) {
  return Call([&] { body(*ObjectOf(table)); });
}

}  // namespace
}  // namespace ps::c_api

using ps::c_api::CheckGiven;
using ps::c_api::TableHold;
using ps::c_api::With;

extern "C" {

int PSTableCreate(PSStore store, const PSTableOptions* options, PSTable* table) {
  return ps::c_api::Call([&] {
    CheckGiven(table, "table");
    *table = ps::c_api::NewHandle<PSTable>(ps::c_api::MakeTable(store, options));
  });
}

int PSTableGetSize(PSTable table, int64_t* rows, int64_t* cols) {
  return With(table, [&](TableHold& asked) {
    CheckGiven(rows, "rows");
    CheckGiven(cols, "cols");
    *rows = asked.spec().rows;
    *cols = asked.spec().width;
  });
}

int PSTableGetDType(PSTable table, int* dtype) {
  return With(table, [&](TableHold& asked) {
    CheckGiven(dtype, "dtype");
    *dtype = static_cast<int>(asked.spec().dtype);
  });
}

int PSTableAdd(PSTable table, const PSTableValues* what, PSRequest* request) {
  return With(table, [&](TableHold& written) { ps::c_api::AddValues(written, what, request); });
}

int PSTableGet(PSTable table, const PSTableValues* what, PSRequest* request) {
  return With(table, [&](TableHold& read) { ps::c_api::GetValues(read, what, request); });
}

int PSTableSet(PSTable table, const PSTableValues* what, PSRequest* request) {
  return With(table, [&](TableHold& written) { ps::c_api::SetValues(written, what, request); });
}

int PSTableErase(PSTable table, const int64_t* ids, size_t num_ids, PSRequest* request) {
  return With(table, [&](TableHold& written) { ps::c_api::EraseRows(written, ids, num_ids, request); });
}

int PSTableSetUpdater(PSTable table, const char* updater, PSRequest* request) {
  return With(table, [&](TableHold& ruled) { ps::c_api::ChangeRule(ruled, updater, request); });
}

int PSTableSetOptions(PSTable table, const char* options, uint64_t from_round, PSRequest* request) {
  return With(table, [&](TableHold& ruled) {
    CheckGiven(options, "options");
    ruled.Finish(ruled.table().SetOptions(options, from_round), request);
  });
}

int PSTableCloseRound(PSTable table, PSRequest* request) {
  return With(table, [&](TableHold& closed) { closed.Finish(closed.table().CloseRound(), request); });
}

int PSTableLeave(PSTable table, PSRequest* request) {
  return With(table, [&](TableHold& left) { left.Finish(left.table().Leave(), request); });
}

int PSTableFree(PSTable table) {
  return ps::c_api::Call([&] { ps::c_api::FreeHandle(table); });
}

}  // extern "C"
