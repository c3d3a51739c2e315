#ifndef PS_STORE_STORE_MESSAGE_H_
#define PS_STORE_STORE_MESSAGE_H_

#include "ps/message.h"
#include "ps/status.h"
#include "store/server_link.h"

namespace ps {

// Requests and answers of the store as data messages: keys and values as blocks, the operations as text.
Message PackRequest(StoreRequest&& request);
Message PackAnswer(StoreAnswer&& answer);
// The other way round; share the blocks. Any message may come: kInvalidArgument when it is none.
Result<StoreRequest> UnpackRequest(const Message& message);
Result<StoreAnswer> UnpackAnswer(const Message& message);

}  // namespace ps
#endif  // PS_STORE_STORE_MESSAGE_H_
