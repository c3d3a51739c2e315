#ifndef PS_MESSAGE_H_
#define PS_MESSAGE_H_

#include <climits>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ps/base.h"
#include "ps/internal/inline_vector.h"
#include "ps/sarray.h"
#include "ps/status.h"

namespace ps {

// Element type of a block. It travels in one byte; the values are fixed. Plain `char` is OTHER. `int`, so
// that any number a program casts is defined.
enum DataType : int { CHAR, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, FLOAT, DOUBLE, OTHER };

// Printable name of a DataType, "OTHER" for values outside the enumeration.
const char* DataTypeName(DataType type);

// True if V and W are the same type, cv-qualifiers aside.
template <typename V, typename W>
constexpr bool SameType() {
  return std::is_same<std::remove_cv_t<V>, std::remove_cv_t<W>>::value;
}

// The DataType of V; OTHER for everything that is not a number of a known width.
template <typename V>
constexpr DataType GetDataType() {
  using T = std::remove_cv_t<V>;
  if (std::is_same<T, char>::value) return OTHER;
  if (std::is_same<T, float>::value) return FLOAT;
  if (std::is_same<T, double>::value) return DOUBLE;
  if (!std::is_integral<T>::value || std::is_same<T, bool>::value) return OTHER;
  if (std::is_signed<T>::value) {
    return sizeof(T) == 1 ? INT8 : sizeof(T) == 2 ? INT16 : sizeof(T) == 4 ? INT32 : INT64;
  }
  return sizeof(T) == 1 ? UINT8 : sizeof(T) == 2 ? UINT16 : sizeof(T) == 4 ? UINT32 : UINT64;
}

// One node of a cluster: who it is and where it listens.
struct Node {
  enum Role { SERVER = 0, WORKER = 1, SCHEDULER = 2 };
  static constexpr int kEmpty = INT_MAX;

  Role role = SERVER;
  int id = kEmpty;       // node id, kEmpty until the scheduler assigned one
  int customer_id = 0;   // the id the program passed to Start
  std::string hostname;  // address the others connect to
  int port = kEmpty;
  bool is_recovery = false;  // took the place of a lost node
  uint64_t incarnation = 0;  // random, new for every start of the node; fences old messages

  // `role=worker, id=9, ip=10.0.0.4, port=4711, is_recovery=0` (id and port only when known).
  std::string DebugString() const;
  // `W[9]`, `S[8]`, `H[1]`; without brackets while there is no id.
  std::string ShortDebugString() const;
};

// Control part of a message; empty for data. Legacy programs only look at it.
struct Control {
  enum Command : int { EMPTY, TERMINATE, ADD_NODE, BARRIER, ACK, HEARTBEAT, REJECT, LEAVE, NODE_LOST };

  Command cmd = EMPTY;
  std::vector<Node> node;
  int barrier_group = 0;  // bit mask of node groups
  uint64_t msg_sig = 0;

  bool empty() const { return cmd == EMPTY; }
  std::string DebugString() const;
};

// Everything about a message but its blocks. Every field has a value from the start.
struct Meta {
  static constexpr int kEmpty = INT_MAX;

  int head = kEmpty;  // command of a request, the caller's business
  int app_id = kEmpty;
  int customer_id = kEmpty;
  int timestamp = kEmpty;
  int sender = kEmpty;
  int recver = kEmpty;
  bool request = false;
  bool push = false;
  bool pull = false;
  bool simple_app = false;
  std::string body;
  internal::InlineVector<DataType, 3> data_type;  // one per entry of Message::data
  Control control;
  int64_t data_size = 0;  // bytes of all blocks
  int priority = 0;       // higher first
  uint64_t sender_incarnation = 0;
  StatusCode status = StatusCode::kOk;  // of a response; if not kOk, body is the text of the error
  bool borrowed = false;                // received: its values are the sender's memory, only to be read
  bool room_returned = false;  // of a received request: it was parked, its room on the route is free already

  std::string DebugString() const;
};

struct Message;

// An answer without blocks, text and error: it says no more than that its request is done. Fields as in Meta.
struct BareAnswer {
  int head = Meta::kEmpty;
  int app_id = Meta::kEmpty;
  int customer_id = Meta::kEmpty;
  int timestamp = Meta::kEmpty;
  int sender = Meta::kEmpty;
  int recver = Meta::kEmpty;
  int priority = 0;
  bool push = false;
  bool pull = false;
  uint64_t sender_incarnation = 0;

  Message AsMessage() const;
};

// A message: meta and up to three blocks (keys, values, lengths), in something like a vector that needs no
// memory of its own for so few. Copies share the blocks.
struct Message {
  Meta meta;
  internal::InlineVector<SArray<char>, 3> data;

  // Appends a block; shares `array`'s memory.
  template <typename V>
  void AddData(const SArray<V>& array) {
    meta.data_type.push_back(GetDataType<V>());
    SArray<char> bytes(array);
    meta.data_size += static_cast<int64_t>(bytes.size());
    data.push_back(std::move(bytes));
  }

  // The meta and ` Body:` with the size of each block, in the field's usual shape; text cut at 64 bytes and
  // escaped.
  std::string DebugString() const;
};

}  // namespace ps
#endif  // PS_MESSAGE_H_
