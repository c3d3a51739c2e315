#ifndef PS_STORE_CLIENT_RULE_H_
#define PS_STORE_CLIENT_RULE_H_

#include <cstdint>
#include <string>

#include "ps/ticket.h"
#include "ps/updater.h"
#include "store/client_table.h"

namespace ps {

// What a client says of the rule of a table. Any thread.

// See StoreTable::SetUpdater. All servers are asked before any changes; throws Error where a wait is refused.
Ticket SetUpdater(ClientTable& table, const UpdaterChoice& choice, bool multi_precision);
// See StoreTable::SetOptions.
Ticket SetUpdaterOptions(ClientTable& table, const std::string& options, std::uint64_t from_round);

}  // namespace ps
#endif  // PS_STORE_CLIENT_RULE_H_
