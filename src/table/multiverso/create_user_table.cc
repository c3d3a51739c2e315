#include "ps/multiverso/create_user_table.h"

#include <cxxabi.h>

#include <cstdlib>

namespace multiverso {

std::string CodeName(const std::type_info& type) {
  int failed = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &failed), std::free);
  return failed == 0 ? name.get() : type.name();
}

void RegisterServerTable(const UserTableContext& context, const std::string& code,
                         const std::function<std::unique_ptr<ServerTable>()>& make) {
  if (context.is_sync)
    throw ps::Error(ps::Status::InvalidArgument(
        TableName(context.table_id) + " of " + code +
        ": a program's own table has no rounds, so it can not be made with -sync=true"));
  if (context.servers == nullptr) return;
  context.servers->Register(TableName(context.table_id), code,
                            [make](const ps::UserShardPlace& place) { return ShardOf(make(), place); });
}

}  // namespace multiverso
