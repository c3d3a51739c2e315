#ifndef PS_STORE_GUARDED_H_
#define PS_STORE_GUARDED_H_

#include <exception>
#include <new>

#include "ps/status.h"

namespace ps {

// Runs what may find no memory.
template <typename Code>
Status Guarded(Code code) {
  try {
    return code();
  } catch (const Error& error) {
    return error.status();
  } catch (const std::bad_alloc&) {
    return Status::ResourceExhausted("the server has no memory left");
  } catch (const std::exception& error) {
    return Status::Internal(error.what());
  }
}

}  // namespace ps
#endif  // PS_STORE_GUARDED_H_
