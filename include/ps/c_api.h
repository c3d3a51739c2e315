// The C interface: all of it. What its functions have in common is said in ps/c/base.h.
#ifndef PS_C_API_H_
#define PS_C_API_H_

#include "ps/c/base.h"
#include "ps/c/collective.h"
#include "ps/c/kvstore.h"
#include "ps/c/kvstore_settings.h"
#include "ps/c/model.h"
#include "ps/c/runtime.h"
#include "ps/c/store.h"
#include "ps/c/table.h"
#include "ps/c/tensor.h"
#include "ps/c/updater.h"

#endif  // PS_C_API_H_
