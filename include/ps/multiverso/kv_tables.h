// KVWorkerTable and KVServerTable: a map from keys to values, as a program would make it.
#ifndef PS_MULTIVERSO_KV_TABLES_H_
#define PS_MULTIVERSO_KV_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "ps/multiverso/create_user_table.h"
#include "ps/status.h"

namespace multiverso {

// The server of a key: by a mixed hash, so that neighbours are spread, and negative keys have one, too.
int ServerOfHash(std::uint64_t hash, int num_servers);
template <typename Key>
int ServerOfKey(const Key& key, int num_servers) {
  if constexpr (std::is_integral_v<Key> || std::is_enum_v<Key>) {
    return ServerOfHash(static_cast<std::uint64_t>(key), num_servers);
  } else {
    return ServerOfHash(std::hash<Key>()(key), num_servers);
  }
}
// Throws Error: another number of keys than of values, or bytes that are none.
void CheckPairs(const std::vector<Blob>& blobs, std::size_t key_bytes, std::size_t value_bytes);

// The worker's half: keeps what it has read. Keys of a call may come in any order and repeat. Key and Val are
// copied as bytes.
template <typename Key, typename Val>
class KVWorkerTable : public WorkerTable {
  static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Val>,
                "they travel as bytes");

 public:
  void Get(Key key) { WorkerTable::Get(Blob(&key, sizeof(Key))); }
  void Get(const std::vector<Key>& keys) { WorkerTable::Get(BlobOf(keys)); }
  int GetAsync(const std::vector<Key>& keys) { return WorkerTable::GetAsync(BlobOf(keys)); }
  void Add(Key key, Val value) { WorkerTable::Add(Blob(&key, sizeof(Key)), Blob(&value, sizeof(Val))); }
  void Add(const std::vector<Key>& keys, const std::vector<Val>& values) {
    WorkerTable::Add(BlobOf(keys), BlobOf(values));
  }
  int AddAsync(const std::vector<Key>& keys, const std::vector<Val>& values) {
    return WorkerTable::AddAsync(BlobOf(keys), BlobOf(values));
  }
  // What was read, as of the last Get of each key. Not while one is under way.
  std::unordered_map<Key, Val>& raw() { return read_; }

  int Partition(const std::vector<Blob>& kv, MsgType partition_type,
                std::unordered_map<int, std::vector<Blob>>* out) override {
    const bool adds = partition_type == MsgType::Request_Add;
    if (adds) CheckPairs(kv, sizeof(Key), sizeof(Val));
    const Blob& keys = kv.at(0);
    std::vector<int> servers(keys.size<Key>());
    std::unordered_map<int, std::size_t> counts;
    for (std::size_t i = 0; i < servers.size(); ++i) {
      servers[i] = ServerOfKey(keys.As<Key>(i), num_servers());
      ++counts[servers[i]];
    }
    for (const auto& [server, count] : counts) {
      std::vector<Blob>& blobs = (*out)[server];
      blobs.push_back(Blob(count * sizeof(Key)));
      if (adds) blobs.push_back(Blob(count * sizeof(Val)));
    }
    for (std::size_t i = servers.size(); i-- > 0;) {
      const std::vector<Blob>& blobs = (*out)[servers[i]];
      const std::size_t place = --counts[servers[i]];
      blobs[0].As<Key>(place) = keys.As<Key>(i);
      if (adds) blobs[1].As<Val>(place) = kv[1].As<Val>(i);
    }
    return static_cast<int>(out->size());
  }

  void ProcessReplyGet(std::vector<Blob>& reply) override {
    CheckPairs(reply, sizeof(Key), sizeof(Val));
    for (std::size_t i = 0; i < reply[0].size<Key>(); ++i) read_[reply[0].As<Key>(i)] = reply[1].As<Val>(i);
  }

 private:
  template <typename T>
  static Blob BlobOf(const std::vector<T>& values) {
    return Blob(values.data(), values.size() * sizeof(T));
  }

  std::unordered_map<Key, Val> read_;
};

template <typename Key, typename Val>
class KVServerTable;

// Makes both.
template <typename Key, typename Val>
struct KVTableOption {
  using WorkerTableType = KVWorkerTable<Key, Val>;
  using ServerTableType = KVServerTable<Key, Val>;
};

// The server's half. A key that nobody has added to reads as Val(), and is not made. A checkpoint may be
// loaded by any number of servers.
template <typename Key, typename Val>
class KVServerTable : public ServerTable {
 public:
  void ProcessAdd(const std::vector<Blob>& data) override {
    CheckPairs(data, sizeof(Key), sizeof(Val));
    for (std::size_t i = 0; i < data[0].size<Key>(); ++i) table_[data[0].As<Key>(i)] += data[1].As<Val>(i);
  }
  void ProcessGet(const std::vector<Blob>& data, std::vector<Blob>* result) override {
    const Blob& keys = data.at(0);
    Blob values(keys.size<Key>() * sizeof(Val));
    for (std::size_t i = 0; i < keys.size<Key>(); ++i) {
      const auto found = table_.find(keys.As<Key>(i));
      values.As<Val>(i) = found == table_.end() ? Val() : found->second;
    }
    *result = {keys, values};
  }

  // The number of pairs, then a key and a value each.
  void Store(Stream* stream) override {
    const std::uint64_t count = table_.size();
    stream->Write(&count, sizeof(count));
    for (const auto& [key, value] : table_) {
      stream->Write(&key, sizeof(Key));
      stream->Write(&value, sizeof(Val));
    }
  }
  void Load(Stream* stream) override {
    std::uint64_t count = 0;
    Read(stream, &count);
    for (; count > 0; --count) {
      Key key;
      Val value;
      Read(stream, &key);
      Read(stream, &value);
      if (ServerOfKey(key, num_servers()) == server_id()) table_[key] = value;
    }
  }
  bool TakesPartsOfOthers() const override { return true; }

 protected:
  std::unordered_map<Key, Val>& table() { return table_; }

 private:
  template <typename T>
  static void Read(Stream* stream, T* value) {
    if (stream->Read(value, sizeof(T)) != sizeof(T))
      throw ps::Error(ps::Status::InvalidArgument("the saved map ends within a pair"));
  }

  std::unordered_map<Key, Val> table_;
};

}  // namespace multiverso

#endif  // PS_MULTIVERSO_KV_TABLES_H_
