#ifndef PS_STORE_SERVER_TABLE_H_
#define PS_STORE_SERVER_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ps/table_spec.h"
#include "store/codec/codec.h"
#include "store/contribution.h"
#include "store/executors.h"
#include "store/gate.h"
#include "store/op.h"
#include "store/op_reader.h"
#include "store/reply.h"
#include "store/save_job.h"
#include "store/served_table.h"
#include "store/staging.h"
#include "store/table_lanes.h"
#include "store/table_rules.h"
#include "store/table_slots.h"
#include "store/table_work.h"

namespace ps {

// One table on one server: its gate decides, its slots' lanes carry out. Decisions are made by one thread at
// a time (who holds the server's lock), and posted to the lanes in their order, so that a read sees exactly
// what the gate says it does.
class ServerTable : public ServedTable {
 public:
  // `restored`: it goes on from there, once its slots have been filled.
  static Result<std::unique_ptr<ServerTable>> Make(const TableSpec& spec, const TableSlots::Place& place,
                                                   Executors* executors, const TableRecord* restored);
  ~ServerTable() override;  // what still waits is failed with kCancelled

  const TableSpec& spec() const override { return spec_; }
  TableRules& rules() { return *rules_; }
  TableSlots& slots() { return *slots_; }
  Status Handle(Request&& request) override;
  Status Join(int worker, bool is_new_life, std::uint64_t round, OpReply* reply) override;
  void Close(const std::string& was) override;
  void OnWorkerGone(int worker, bool goes_on, const Status& why) override;

 private:
  ServerTable(const TableSpec& spec, Executors* executors) : spec_(spec), lanes_(executors) {}
  Status Init(const TableSlots::Place& place, const TableRecord* restored);
  void InitializeSlots();

  Status HandleAdd(Request&& request);
  Status HandleRead(Request&& request);
  Status HandleSet(Request&& request);
  Status HandleErase(Request&& request);
  Status HandleStat(const Request& request);
  Status TellGate(const Request& request);
  // The rows and values of a contribution, with memory for it where it has to wait.
  Result<RowSet> Accept(Request* request, BudgetClaim* claim) const;

  // What the gate has decided, in order.
  void CarryOut(const Gate::Actions& actions);
  void OnApply(const Gate::Action& action);
  void OnDrop(const Gate::Action& action);
  void OnAnswer(const Gate::Action& action);
  void OnCancel(const Gate::Action& action);
  void OnClose(std::uint64_t round);
  void ApplyRound(std::uint64_t round);
  int NumWorkersOf(std::uint64_t round) const;
  void FoldEarly();
  void Stage();
  std::shared_ptr<Contribution> TakeContribution(const Gate::Action& action);

  bool is_bsp() const { return spec_.consistency.mode == Consistency::kBsp; }
  // Of kBsp; where there are no rounds, always the first.
  std::uint64_t next_round() const { return gate_->state().version + 1; }
  bool is_merged() const { return spec_.apply == TableSpec::kMerged; }
  void Answer(Request&& read);
  void Save(const Request& request);
  void AnswerFirstReads();
  void FailWaiting(const Status& why);
  std::string Describe(int worker) const;

  const TableSpec spec_;
  TableLanes lanes_;
  TableSlots::Place where_;
  bool was_opened_ = false;
  std::unique_ptr<TableSlots> slots_;
  std::unique_ptr<Gate> gate_;
  std::unique_ptr<OpReader> reader_;
  std::unique_ptr<Codec> pull_codec_;
  std::unique_ptr<TableWork> work_;
  std::uint64_t next_token_ = 1;
  Staging staging_;
  std::map<std::uint64_t, Request> reads_;            // by token
  std::vector<Request> first_reads_;                  // let through by the gate before anything was written
  std::vector<std::shared_ptr<Contribution>> round_;  // kMerged: what the round that closes consists of
  std::unique_ptr<TableRules> rules_;
  std::shared_ptr<Contribution> current_;  // of the operation under way
  std::uint64_t current_token_ = 0;
  Gate::Actions actions_;
  Status lost_;  // a worker is gone, and nothing goes on without it
};

}  // namespace ps
#endif  // PS_STORE_SERVER_TABLE_H_
