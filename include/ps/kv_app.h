// The key-value classes: KVPairs, KVMeta, KVWorker, KVServer, KVServerDefaultHandle.
#ifndef PS_KV_APP_H_
#define PS_KV_APP_H_

#include "ps/kv_pairs.h"
#include "ps/kv_server.h"
#include "ps/kv_worker.h"

#endif  // PS_KV_APP_H_
