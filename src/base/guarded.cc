#include "base/guarded.h"

#include <exception>
#include <new>

namespace ps {

Status StatusOfException() {
  try {
    throw;
  } catch (const Error& error) {
    return error.status().ok() ? Status::Internal(error.what()) : error.status();
  } catch (const std::bad_alloc&) {
    return Status::ResourceExhausted("there is no memory left");
  } catch (const std::exception& error) {
    return Status::Internal(error.what());
  } catch (...) {
    return Status::Internal("an exception of unknown type");
  }
}

}  // namespace ps
