// AnyStore over the C interface alone.
#ifndef PS_TESTS_SUPPORT_C_STORE_H_
#define PS_TESTS_SUPPORT_C_STORE_H_

#include <memory>

#include "ps/c_api.h"
#include "tests/support/any_store.h"

namespace ps {

// Takes the handle over.
std::shared_ptr<AnyStore> MakeCStore(PSStore store);

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_C_STORE_H_
