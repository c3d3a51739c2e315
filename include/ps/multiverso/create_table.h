// MV_CreateTable: makes this process's half of a table.
#ifndef PS_MULTIVERSO_CREATE_TABLE_H_
#define PS_MULTIVERSO_CREATE_TABLE_H_

#include <memory>
#include <type_traits>

#include "ps/multiverso/create_user_table.h"
#include "ps/multiverso/process.h"
#include "ps/multiverso/user_table_context.h"

namespace multiverso {

namespace internal {

// The number and the surroundings of the next table.
UserTableContext NextTable();
bool HasWorker();
// Meets the others, who have nothing to do with what has failed here. Throws nothing.
void MeetAfterFailure();

template <typename OptionType, typename = void>
struct IsBuiltIn : std::false_type {};
template <typename OptionType>
struct IsBuiltIn<OptionType, std::void_t<decltype(OptionType::kIsBuiltIn)>> : std::true_type {};

// The servers' halves of built-in tables are the store's.
template <typename OptionType>
std::unique_ptr<typename OptionType::WorkerTableType> CreateBuiltInTable(const OptionType& option) {
  if (HasWorker()) return std::make_unique<typename OptionType::WorkerTableType>(option);
  NextTable();
  return nullptr;
}

}  // namespace internal

// The halves of the next table that this process has: the worker's is returned, null where it has no worker.
// All processes make their tables in the same order; who makes another one than the others gets an error that
// says what differs. Waits for the others. The caller deletes it; it may outlive MV_ShutDown, and then all
// its calls fail. Throws ps::Error.
template <typename OptionType>
typename OptionType::WorkerTableType* MV_CreateTable(const OptionType& option) {
  std::unique_ptr<typename OptionType::WorkerTableType> table;
  try {
    if constexpr (internal::IsBuiltIn<OptionType>::value) {
      table = internal::CreateBuiltInTable(option);
    } else {
      table.reset(CreateUserTable<OptionType>(option, internal::NextTable()));
    }
  } catch (...) {
    internal::MeetAfterFailure();
    throw;
  }
  MV_Barrier();
  return table.release();
}

}  // namespace multiverso

#endif  // PS_MULTIVERSO_CREATE_TABLE_H_
