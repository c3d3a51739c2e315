// CreateUserTable: both halves of a table that a program makes.
#ifndef PS_MULTIVERSO_CREATE_USER_TABLE_H_
#define PS_MULTIVERSO_CREATE_USER_TABLE_H_

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>

#include "ps/multiverso/server_table.h"
#include "ps/multiverso/user_table_context.h"
#include "ps/multiverso/worker_table.h"
#include "ps/user_shard.h"

// In an option: says which classes the table's halves are.
//
//   struct CountsOption {
//     DEFINE_TABLE_TYPE(int, CountsWorker, CountsServer);
//   };
// The classes may be templates of the element type, as in DEFINE_TABLE_TYPE(T, MyWorker, MyServer).
#define DEFINE_TABLE_TYPE(element_type, worker_table_type, server_table_type)                      \
  using WorkerTableType =                                                                          \
      typename decltype(::multiverso::internal::TableOf<element_type, worker_table_type>())::Type; \
  using ServerTableType =                                                                          \
      typename decltype(::multiverso::internal::TableOf<element_type, server_table_type>())::Type

namespace multiverso {
namespace internal {

template <typename Table>
struct Named {
  using Type = Table;
};
// Of a class, or of a template of the element type.
template <typename Element, typename Table>
Named<Table> TableOf();
template <typename Element, template <typename> class Table>
Named<Table<Element>> TableOf();

}  // namespace internal

// A type as people write it: what two processes that make one table compare.
std::string CodeName(const std::type_info& type);
// Registers the server's half, where the process has servers. Throws Error.
void RegisterServerTable(const UserTableContext& context, const std::string& code,
                         const std::function<std::unique_ptr<ServerTable>()>& make);
// Connects the worker's half: waits for servers that have not registered theirs yet, at most
// PS_REQUEST_TIMEOUT. Throws Error, which names them, or says that they have made another table.
void BindWorkerTable(const UserTableContext& context, const std::string& code, WorkerTable* table);

// Of the option where there is such a constructor.
template <typename Table, typename Option>
std::unique_ptr<Table> MakeHalf(const Option& option) {
  if constexpr (std::is_constructible_v<Table, const Option&>) {
    return std::make_unique<Table>(option);
  } else {
    return std::make_unique<Table>();
  }
}

// Makes the halves that belong into this process, and returns the worker's, which the caller owns; null where
// the context has no store. All processes call it with the same kind of option and the same number. The
// option is kept for the server's half, which is made anew when a checkpoint is loaded. Throws Error.
template <typename Option>
typename Option::WorkerTableType* CreateUserTable(const Option& option, const UserTableContext& context) {
  const std::string code = CodeName(typeid(Option));
  RegisterServerTable(context, code, [option]() -> std::unique_ptr<ServerTable> {
    return MakeHalf<typename Option::ServerTableType>(option);
  });
  if (context.store == nullptr) return nullptr;
  auto table = MakeHalf<typename Option::WorkerTableType>(option);
  BindWorkerTable(context, code, table.get());
  return table.release();
}

}  // namespace multiverso

#endif  // PS_MULTIVERSO_CREATE_USER_TABLE_H_
