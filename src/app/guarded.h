#ifndef PS_APP_GUARDED_H_
#define PS_APP_GUARDED_H_

#include <exception>

#include "ps/status.h"

namespace ps {

// Runs user code; what escapes from it becomes a Status.
template <typename UserCode>
Status Guarded(UserCode code) {
  try {
    return code();
  } catch (const Error& error) {
    return error.status().ok() ? Status::Internal(error.what()) : error.status();
  } catch (const std::exception& error) {
    return Status::Internal(error.what());
  } catch (...) {
    return Status::Internal("an exception of unknown type");
  }
}

}  // namespace ps
#endif  // PS_APP_GUARDED_H_
