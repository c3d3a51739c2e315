#include "store/client_rule.h"

#include <chrono>

#include "store/rule_bytes.h"

namespace ps {
namespace {

// The link has a deadline of its own.
constexpr std::chrono::hours kVeryLong{24};

}  // namespace

Ticket SetUpdater(ClientTable& table, const UpdaterChoice& choice, bool multi_precision) {
  ThrowIfError(table.CheckMayWait());
  Op op;
  op.code = OpCode::kUpdater;
  op.text = EncodeRule({choice, multi_precision, {}});
  const auto stamped = [&op, &table](int server) {
    op.round = table.rounds().RoundAt(server) + 1;
    op.parts = table.rounds().IsOpen() ? 1 : 0;
    return op;
  };
  op.flags = Op::kAsk;
  const Ticket asked = table.TellAll(stamped, false);
  if (!asked.WaitFor(kVeryLong).ok()) return asked;
  op.flags = 0;
  return table.TellAll(stamped, true);
}

Ticket SetUpdaterOptions(ClientTable& table, const std::string& options, std::uint64_t from_round) {
  Op op;
  op.code = OpCode::kOption;
  op.text = options;
  const auto stamped = [&op, &table, from_round](int server) {
    op.since = table.rounds().RoundAt(server);
    op.round = from_round == StoreTable::kNextRound ? op.since + 1 : from_round;
    return op;
  };
  return table.TellAll(stamped, true);
}

}  // namespace ps
