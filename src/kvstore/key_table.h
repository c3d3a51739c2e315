#ifndef PS_KVSTORE_KEY_TABLE_H_
#define PS_KVSTORE_KEY_TABLE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kvstore/key_layout.h"
#include "kvstore/optimizer.h"
#include "ps/store.h"

namespace ps {

// The tables of one key, as one. Arrays are in the processor's memory, of the key's dtype. One thread.
class KeyTable {
 public:
  // Opens the tables, or makes them. Throws Error.
  KeyTable(Store* store, const KeyLayout& layout);

  const KeyLayout& layout() const { return layout_; }
  // Servers that have a part.
  std::vector<int> Servers(int num_servers) const;

  // All elements of a dense key, or rows of a row-sparse one. `options` as the store's: what is borrowed is
  // kept by `options.keep`.
  Ticket Push(const Rows& rows, const void* values, const AddOptions& options);
  Ticket Pull(const Rows& rows, void* to, const GetOptions& options);
  Ticket PushPull(const void* values, void* to, const AddOptions& options);
  Ticket Set(const Rows& rows, const void* values);
  Ticket SetOptimizer(const Optimizer& optimizer);
  Ticket SetHyper(const std::string& options, std::uint64_t from_round);
  Ticket Leave();
  // On the servers, for all workers.
  Ticket Erase();

 private:
  Ticket OnEach(const std::function<Ticket(StoreTable& table, std::size_t begin_bytes)>& call);

  Store* const store_;
  const KeyLayout layout_;
  std::vector<std::unique_ptr<StoreTable>> tables_;
};

}  // namespace ps

#endif  // PS_KVSTORE_KEY_TABLE_H_
