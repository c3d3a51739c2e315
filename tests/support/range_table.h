// A user's own pair of tables, as a Multiverso program would write it: numbers 0 to size - 1, each server
// with a range of them, the last one with the rest.
#ifndef PS_TESTS_SUPPORT_RANGE_TABLE_H_
#define PS_TESTS_SUPPORT_RANGE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "ps/multiverso/create_user_table.h"

namespace multiverso {

template <typename T>
class RangeWorker;
template <typename T>
class RangeServer;

template <typename T>
struct RangeOption {
  explicit RangeOption(int size) : size(size) {}
  int size;
  DEFINE_TABLE_TYPE(T, RangeWorker, RangeServer);
};

// Keys are places; values, as many, are added. A place that is odd and beyond the end goes to server `place`,
// whether or not there is one.
template <typename T>
class RangeWorker : public WorkerTable {
 public:
  explicit RangeWorker(const RangeOption<T>& option) : size_(option.size) {}

  int GetAsync(const std::vector<int>& places, std::vector<T>* values) {
    values_ = values;
    place_of_.clear();
    for (std::size_t i = 0; i < places.size(); ++i) place_of_[places[i]] = i;
    values->resize(places.size());
    return WorkerTable::GetAsync(BlobOf(places));
  }
  void Get(const std::vector<int>& places, std::vector<T>* values) { Wait(GetAsync(places, values)); }
  int AddAsync(const std::vector<int>& places, const std::vector<T>& values,
               const AddOption* option = nullptr) {
    return WorkerTable::AddAsync(BlobOf(places), BlobOf(values), option);
  }
  void Add(const std::vector<int>& places, const std::vector<T>& values) { Wait(AddAsync(places, values)); }

  int Partition(const std::vector<Blob>& kv, MsgType partition_type,
                std::unordered_map<int, std::vector<Blob>>* out) override {
    const Blob& places = kv.at(0);
    std::unordered_map<int, std::vector<int>> places_of;
    std::unordered_map<int, std::vector<T>> values_of;
    for (std::size_t i = 0; i < places.size<int>(); ++i) {
      const int server = ServerOf(places.As<int>(i));
      places_of[server].push_back(places.As<int>(i));
      if (partition_type == MsgType::Request_Add) values_of[server].push_back(kv.at(1).As<T>(i));
    }
    for (const auto& [server, mine] : places_of) {
      std::vector<Blob>& blobs = (*out)[server];
      blobs.push_back(BlobOf(mine));
      if (partition_type == MsgType::Request_Add) blobs.push_back(BlobOf(values_of[server]));
      if (kv.size() == 3) blobs.push_back(kv[2]);  // the option, for all
    }
    return static_cast<int>(out->size());
  }

  void ProcessReplyGet(std::vector<Blob>& reply) override {
    if (throws_in_reply) throw std::runtime_error("the reply is not liked");
    for (std::size_t i = 0; i < reply.at(0).size<int>(); ++i)
      (*values_)[place_of_.at(reply[0].As<int>(i))] = reply.at(1).As<T>(i);
  }

  bool throws_in_reply = false;

 private:
  template <typename V>
  static Blob BlobOf(const std::vector<V>& values) {
    return Blob(values.data(), values.size() * sizeof(V));
  }
  int ServerOf(int place) const {
    if (place < 0) throw std::runtime_error("place " + std::to_string(place) + " can not be");
    if (place >= size_ && place % 2 != 0) return place;
    const int each = size_ / num_servers();
    const int server = each == 0 ? 0 : place / each;
    return server < num_servers() ? server : num_servers() - 1;
  }

  const int size_;
  std::vector<T>* values_ = nullptr;
  std::unordered_map<int, std::size_t> place_of_;
};

template <typename T>
class RangeServer : public ServerTable {
 public:
  explicit RangeServer(const RangeOption<T>& option) : values_(static_cast<std::size_t>(option.size)) {}

  void ProcessAdd(const std::vector<Blob>& data) override {
    const Blob& places = data.at(0);
    T rate = 1;
    if (data.size() == 3) rate = static_cast<T>(AddOption(data[2].data(), data[2].size()).learning_rate());
    for (std::size_t i = 0; i < places.size<int>(); ++i) At(places.As<int>(i)) += rate * data.at(1).As<T>(i);
  }
  void ProcessGet(const std::vector<Blob>& data, std::vector<Blob>* result) override {
    const Blob& places = data.at(0);
    Blob values(places.size<int>() * sizeof(T));
    for (std::size_t i = 0; i < places.size<int>(); ++i) values.As<T>(i) = At(places.As<int>(i));
    *result = {places, values};
  }
  void Store(Stream* stream) override { stream->Write(values_.data(), values_.size() * sizeof(T)); }
  void Load(Stream* stream) override {
    const std::size_t bytes = values_.size() * sizeof(T);
    if (stream->Read(values_.data(), bytes) != bytes) throw std::runtime_error("the stream is too short");
  }

 private:
  T& At(int place) {
    if (place >= static_cast<int>(values_.size()))
      throw std::out_of_range("place " + std::to_string(place) + " is beyond the end");
    return values_.at(static_cast<std::size_t>(place));
  }

  std::vector<T> values_;  // of all places; those of others stay 0
};

}  // namespace multiverso

#endif  // PS_TESTS_SUPPORT_RANGE_TABLE_H_
