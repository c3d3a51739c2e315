#ifndef PS_TRANSPORT_ZMQ_TCP_METER_H_
#define PS_TRANSPORT_ZMQ_TCP_METER_H_

#include <cstdint>
#include <optional>

namespace ps {

// Looks at TCP connections that belong to a library, by descriptor. The library may close one at any moment
// and the number may then mean something else of this process, so nothing is done to what is not an accepted
// connection of `local_port`.

// Bytes that were received and read from the connection since it began; too few rather than too many. Nothing
// if it is no such connection (any more).
std::optional<uint64_t> TakenBytes(int fd, int local_port);

// Ends the connection for both sides; its owner notices as if the peer had left.
void CutOff(int fd, int local_port);

}  // namespace ps
#endif  // PS_TRANSPORT_ZMQ_TCP_METER_H_
