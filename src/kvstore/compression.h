#ifndef PS_KVSTORE_COMPRESSION_H_
#define PS_KVSTORE_COMPRESSION_H_

#include "ps/kvstore.h"
#include "ps/status.h"
#include "ps/table_spec.h"

namespace ps {

// How values travel. A plain value.
struct Compression {
  CodecSpec push;
  CodecSpec pull;

  bool is_none() const { return push.is_none() && pull.is_none(); }
};

// `type`, `threshold` (of 2bit above 0), `ratio` (of topk), `pull` (a codec without residual). MXNet's texts
// for what is wrong; kInvalidArgument.
Result<Compression> ParseCompression(const KVParams& params);

}  // namespace ps

#endif  // PS_KVSTORE_COMPRESSION_H_
