#include "tests/support/any_store.h"

#include <utility>

namespace ps {
namespace {

class CppStepTable final : public StepTable {
 public:
  explicit CppStepTable(std::unique_ptr<StoreTable> table) : table_(std::move(table)) {}

  void Add(const Ids& ids, const std::vector<char>& values) override {
    table_->Add(RowsOf(ids), values.data());
  }
  void AddAsync(const Ids& ids, const std::vector<char>& values) override {
    table_->AddAsync(RowsOf(ids), values.data());
  }
  void Set(const Ids& ids, const std::vector<char>& values) override {
    table_->SetAsync(RowsOf(ids), values.data()).Wait();
  }
  void Get(const Ids& ids, std::vector<char>* to) override { table_->Get(RowsOf(ids), to->data()); }
  Pending GetAsync(const Ids& ids, std::vector<char>* to) override {
    const Ticket ticket = table_->GetAsync(RowsOf(ids), to->data());
    return {[ticket] { ticket.Wait(); }, [ticket] { return ticket.Done(); }};
  }
  void Erase(const Ids& ids) override { table_->EraseAsync(RowsOf(ids)).Wait(); }
  void CloseRound() override { table_->CloseRound().Wait(); }
  void Leave() override { table_->Leave().Wait(); }
  void SetOptions(const std::string& options, std::uint64_t from_round) override {
    table_->SetOptions(options, from_round).Wait();
  }

 private:
  static Rows RowsOf(const Ids& ids) {
    if (!ids.has_value()) return Rows::All();
    return Rows::Of(reinterpret_cast<const std::uint64_t*>(ids->data()), ids->size());
  }

  const std::unique_ptr<StoreTable> table_;
};

class CppStore final : public AnyStore {
 public:
  explicit CppStore(Store& store) : store_(store) {}

  std::unique_ptr<StepTable> Create(const TableSpec& spec) override {
    return std::make_unique<CppStepTable>(store_.Create(spec));
  }
  std::unique_ptr<AnyTable> Make(const nlohmann::json& table) override {
    return AnyTable::Make(store_, table);
  }
  void Flush() override { store_.Flush(); }
  void Barrier() override { store_.Barrier(); }

 private:
  Store& store_;
};

}  // namespace

std::shared_ptr<AnyStore> AnyStore::Of(Store& store) { return std::make_shared<CppStore>(store); }

}  // namespace ps
