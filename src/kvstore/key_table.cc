#include "kvstore/key_table.h"

#include <set>

#include "store/partition.h"

namespace ps {

KeyTable::KeyTable(Store* store, const KeyLayout& layout) : store_(store), layout_(layout) {
  for (const TableSpec& spec : layout_.tables) tables_.push_back(store_->Create(spec));
}

std::vector<int> KeyTable::Servers(int num_servers) const {
  std::set<int> servers;
  for (const TableSpec& spec : layout_.tables) {
    const Range range = Partition(spec, num_servers, false).servers();
    for (std::uint64_t server = range.begin(); server < range.end(); ++server)
      servers.insert(static_cast<int>(server));
  }
  return {servers.begin(), servers.end()};
}

Ticket KeyTable::OnEach(const std::function<Ticket(StoreTable& table, std::size_t begin_bytes)>& call) {
  if (tables_.size() == 1) return call(*tables_.front(), 0);
  std::vector<Ticket> tickets;
  tickets.reserve(tables_.size());
  for (std::size_t i = 0; i < tables_.size(); ++i)
    tickets.push_back(call(*tables_[i], layout_.begins[i] * SizeOf(layout_.dtype)));
  return AllOf(tickets);
}

Ticket KeyTable::Push(const Rows& rows, const void* values, const AddOptions& options) {
  return OnEach([&](StoreTable& table, std::size_t begin) {
    return table.AddAsync(rows, static_cast<const char*>(values) + begin, options);
  });
}

Ticket KeyTable::Pull(const Rows& rows, void* to, const GetOptions& options) {
  return OnEach([&](StoreTable& table, std::size_t begin) {
    return table.GetAsync(rows, static_cast<char*>(to) + begin, options);
  });
}

Ticket KeyTable::PushPull(const void* values, void* to, const AddOptions& options) {
  return OnEach([&](StoreTable& table, std::size_t begin) {
    return table.AddGetAsync(Rows::All(), static_cast<const char*>(values) + begin,
                             static_cast<char*>(to) + begin, options);
  });
}

Ticket KeyTable::Set(const Rows& rows, const void* values) {
  return OnEach([&](StoreTable& table, std::size_t begin) {
    return table.SetAsync(rows, static_cast<const char*>(values) + begin);
  });
}

Ticket KeyTable::SetOptimizer(const Optimizer& optimizer) {
  return OnEach([&](StoreTable& table, std::size_t) {
    return table.SetUpdater(optimizer.choice, optimizer.multi_precision);
  });
}

Ticket KeyTable::SetHyper(const std::string& options, std::uint64_t from_round) {
  return OnEach([&](StoreTable& table, std::size_t) { return table.SetOptions(options, from_round); });
}

Ticket KeyTable::Leave() {
  return OnEach([](StoreTable& table, std::size_t) { return table.Leave(); });
}

Ticket KeyTable::Erase() {
  std::vector<Ticket> tickets;
  for (const TableSpec& spec : layout_.tables) tickets.push_back(store_->EraseTable(spec.name));
  return AllOf(tickets);
}

}  // namespace ps
