#ifndef PS_APP_KV_MESSAGE_H_
#define PS_APP_KV_MESSAGE_H_

#include <cstddef>
#include <string_view>

#include "ps/kv_pairs.h"
#include "ps/message.h"
#include "ps/status.h"

namespace ps {

// Appends keys, values and (where there are some) lengths as the blocks of a data message, which has them
// then.
void AddBlocks(KVBytes&& data, DataType type, Message* message);

// The blocks of a received data message; no blocks give empty arrays. kInvalidArgument when they cannot be
// what they claim: another element type than `element` (char goes with everything), sizes that do not divide,
// a number or sum of lengths that does not fit. Arrays are aligned for their type.
Result<KVBytes> ReadBlocks(const Message& message, const ElementType& element);
// The same, and the message keeps nothing but its meta.
Status TakeBlocks(Message* message, const ElementType& element, KVBytes* data);
// Values and lengths alone, for who knows already that the first block is so many keys.
Status ReadValues(const Message& message, const ElementType& element, std::size_t num_keys, KVBytes* data);

// Whether keys, values and lengths of a request fit each other (see KVPairs) and keys do not decrease.
// `with_values` false: a pull, which has keys only. `what` begins the text of the error.
Status CheckShape(const KVBytes& data, std::size_t element_size, bool with_values, std::string_view what);
// The two halves of it.
Status CheckOrder(const SArray<Key>& keys, std::string_view what);
Status CheckSizes(const KVBytes& data, std::size_t element_size, std::string_view what);

// Copies keys; true if they do not decrease.
bool CopyInOrder(const Key* from, std::size_t count, Key* to);

}  // namespace ps
#endif  // PS_APP_KV_MESSAGE_H_
