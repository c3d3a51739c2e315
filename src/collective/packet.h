#ifndef PS_COLLECTIVE_PACKET_H_
#define PS_COLLECTIVE_PACKET_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "collective/signature.h"
#include "ps/status.h"

namespace ps {

constexpr std::size_t kMostNameBytes = 1000;

// Which operation. A plain value.
struct OperationId {
  std::uint64_t group = 0;   // of which ranks (group_members.h)
  std::string name;          // empty: matched by order
  std::uint64_t number = 0;  // how many of the group (with this name) were begun before

  // `number 3`, `"gradients"`.
  std::string ToString() const;
};
bool operator<(const OperationId& a, const OperationId& b);
bool operator==(const OperationId& a, const OperationId& b);

// What a message of one rank to another says; values travel beside it.
struct Packet {
  enum Kind : std::uint8_t {
    kValues = 0,  // those of a round, or a token of it
    kHere = 1,    // the sender has begun the operation
    kEnd = 2,     // it has failed at the sender, and so at everybody
  };
  Kind kind = kValues;
  OperationId id;
  Signature signature;
  std::uint32_t round = 0;  // kValues
  std::uint64_t begin = 0;  // ... where the elements begin
  bool answered = false;    // ... the sender waits for an answer
  Status status;            // kEnd: why, not Ok
};

std::string EncodePacket(const Packet& packet);
// Anything may have come: kInvalidArgument.
Result<Packet> DecodePacket(std::string_view bytes);

}  // namespace ps

#endif  // PS_COLLECTIVE_PACKET_H_
