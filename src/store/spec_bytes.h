#ifndef PS_STORE_SPEC_BYTES_H_
#define PS_STORE_SPEC_BYTES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "ps/status.h"
#include "ps/table_spec.h"
#include "store/digest.h"

namespace ps {

// The only encoding of a spec: equal specs have equal bytes. Travels with CREATE and is stored in
// checkpoints.
std::string EncodeSpec(const TableSpec& spec);
// Any bytes may come: kInvalidArgument, also for a spec that is not valid or that a later version has written
// with more in it than is known here.
Result<TableSpec> DecodeSpec(std::string_view bytes);

// The same for equal specs; by it servers tell that two creators mean the same table.
inline std::uint64_t HashOf(const TableSpec& spec) { return DigestOf(EncodeSpec(spec)); }
// Tables are known by name alone, on the wire by this.
inline std::uint64_t TableId(std::string_view name) { return DigestOf(name); }

}  // namespace ps
#endif  // PS_STORE_SPEC_BYTES_H_
