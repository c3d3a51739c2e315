#ifndef PS_VAN_PAYLOAD_H_
#define PS_VAN_PAYLOAD_H_

#include "transport/transport.h"

namespace ps {

// The payload of a frame that is no chunk of something larger, copied into one piece: the body of a handshake
// or of an answer, which only the receiver's thread reads.
SArray<char> PayloadOf(const Frame& frame);

}  // namespace ps
#endif  // PS_VAN_PAYLOAD_H_
