// What a PSKVStore stands for, and what its functions are given.
#ifndef PS_C_API_KVSTORE_H_
#define PS_C_API_KVSTORE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "c_api/handles.h"
#include "ps/c/kvstore.h"
#include "ps/kvstore.h"

namespace ps::c_api {

struct OpenKVStore {
  std::shared_ptr<Postoffice> node;  // goes after the store; null: stores of this process
  std::unique_ptr<KVStore> store;
  std::chrono::milliseconds timeout{0};  // of waits for a ticket; 0: as long as the request may take
};

template <>
struct HandleTraits<PSKVStore> {
  using Object = OpenKVStore;
  static constexpr char kName[] = "PSKVStore";
};

// Keys as the plain functions and those with Str are given them. `name`: of the argument. Throw Error.
KVKeys KeysOf(std::size_t num, const std::int64_t* keys, const char* name = "keys");
KVKeys KeysOf(std::size_t num, const char* const* keys, const char* name = "keys");
KVParams ParamsOf(std::size_t num, const char* const* names, const char* const* values);

}  // namespace ps::c_api

#endif  // PS_C_API_KVSTORE_H_
