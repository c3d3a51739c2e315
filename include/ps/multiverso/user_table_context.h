// UserTableContext: where a program's own table is made.
#ifndef PS_MULTIVERSO_USER_TABLE_CONTEXT_H_
#define PS_MULTIVERSO_USER_TABLE_CONTEXT_H_

#include <string>

namespace ps {
class Store;
class UserShardHost;
}  // namespace ps

namespace multiverso {

// What CreateUserTable needs of the process. MV_CreateTable fills it in; a program that has a Store of its
// own may do so, too. Borrows; the table that is made uses both until it ends.
struct UserTableContext {
  ps::Store* store = nullptr;            // of the worker of this process; null: there is none
  ps::UserShardHost* servers = nullptr;  // its server (StoreServer::user_shards), or those of a store of
                                         // Store::Local (Store::user_shards); null: there are none, or
                                         // another worker of this process makes the halves on them
  bool is_sync = false;                  // the process wants rounds, which such tables do not have: refused
  int table_id = 0;                      // how many tables were made before: the same in all processes
};

// The name that the store knows such a table by, whatever kind it is of: so who makes tables in another order
// than the others hears of it.
inline std::string TableName(int table_id) { return "multiverso table " + std::to_string(table_id); }

}  // namespace multiverso

#endif  // PS_MULTIVERSO_USER_TABLE_CONTEXT_H_
