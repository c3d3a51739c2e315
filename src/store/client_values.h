#ifndef PS_STORE_CLIENT_VALUES_H_
#define PS_STORE_CLIENT_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "ps/base.h"
#include "ps/sarray.h"
#include "ps/status.h"
#include "ps/table_spec.h"
#include "store/codec/codec.h"
#include "store/message_limit.h"
#include "store/residuals.h"

namespace ps {

// What one server gets of a call on a table.
struct Share {
  int server = 0;
  std::size_t first = 0;  // of a run
  std::size_t count = 0;
  SArray<Key> keys;                   // of a list
  std::vector<std::uint32_t> places;  // of a list: where they stand in the call
};

// The values that calls on one table bring, as its servers get them: picked out, copied or lent, encoded.
// What a codec keeps back of them stays here. Thread-safe.
class ClientValues {
 public:
  // What a call brings.
  struct Source {
    const void* values = nullptr;
    bool borrow = false;  // they stay as they are until the call is done
    bool is_set = false;  // values as they are, not contributions: they are not encoded
  };

  // `spec` outlives it.
  ClientValues(const TableSpec& spec, const MessageLimit& limit);
  // kInvalidArgument: there is no such codec.
  Status Init();
  // By share. kInvalidArgument where the codec cannot carry them, kResourceExhausted where they are too many
  // for a message; then nothing has changed.
  Result<std::vector<SArray<char>>> Take(const Source& source, const std::vector<Share>& shares);

 private:
  SArray<char> Pick(const Source& source, const Share& share, bool is_encoded) const;
  Status Name(const Status& wrong, const Share& share) const;
  Status CheckBytes(const Share& share, std::size_t value_bytes) const;
  std::size_t ElementsOf(const Share& share) const {
    return share.count * static_cast<std::size_t>(spec_.width);
  }
  Status Encode(const std::vector<Share>& shares, std::vector<SArray<char>>* values) const;
  Status EncodeWithResiduals(const std::vector<Share>& shares, std::vector<SArray<char>>* values);

  const TableSpec& spec_;
  const MessageLimit limit_;
  const std::size_t row_bytes_;
  std::unique_ptr<Codec> codec_;  // null: none
  Mutex mutex_;
  Residuals residuals_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps
#endif  // PS_STORE_CLIENT_VALUES_H_
