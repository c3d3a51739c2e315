#include "ps/multiverso/create_user_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "ps/store.h"
#include "tests/support/range_table.h"
#include "tests/support/watchdog.h"

namespace multiverso {
namespace {

struct ClassesOption {
  explicit ClassesOption(int size) : size(size) {}
  int size;
  DEFINE_TABLE_TYPE(int, RangeWorker<int>, RangeServer<int>);
};
static_assert(std::is_same_v<ClassesOption::WorkerTableType, RangeWorker<int>>);
static_assert(std::is_same_v<RangeOption<int>::WorkerTableType, RangeWorker<int>>);
static_assert(std::is_same_v<RangeOption<int>::ServerTableType, RangeServer<int>>);

// Halves that take no option.
class EmptyWorker : public WorkerTable {
 public:
  int Partition(const std::vector<Blob>&, MsgType, std::unordered_map<int, std::vector<Blob>>*) override {
    return 0;
  }
  void ProcessReplyGet(std::vector<Blob>&) override {}
};
class EmptyServer : public ServerTable {
 public:
  void ProcessAdd(const std::vector<Blob>&) override {}
  void ProcessGet(const std::vector<Blob>&, std::vector<Blob>*) override {}
  void Store(Stream*) override {}
  void Load(Stream*) override {}
};
struct EmptyOption {
  DEFINE_TABLE_TYPE(char, EmptyWorker, EmptyServer);
};

class CreateUserTableTest : public testing::Test {
 protected:
  CreateUserTableTest() : stores_(ps::Store::Local({2, 2, 1})) {}

  UserTableContext ContextOf(int worker, bool has_servers) {
    UserTableContext context;
    context.store = stores_[static_cast<std::size_t>(worker)].get();
    if (has_servers) context.servers = &stores_[0]->user_shards();
    return context;
  }

  ps::Watchdog watchdog_;
  std::vector<std::unique_ptr<ps::Store>> stores_;
};

TEST_F(CreateUserTableTest, WorkersAndServersMeetWhoeverComesFirst) {
  std::thread other([this] {
    const std::unique_ptr<RangeWorker<int>> table(CreateUserTable(RangeOption<int>(4), ContextOf(1, false)));
    table->Add({0, 3}, {5, 6});
    stores_[1]->Barrier();
  });
  const std::unique_ptr<RangeWorker<int>> table(CreateUserTable(RangeOption<int>(4), ContextOf(0, true)));
  stores_[0]->Barrier();
  std::vector<int> values;
  table->Get({3, 0}, &values);
  EXPECT_EQ(values, (std::vector<int>{6, 5}));
  other.join();
}

TEST_F(CreateUserTableTest, WithoutAWorkerOnlyTheServersHalfIsMade) {
  UserTableContext servers_alone = ContextOf(0, true);
  servers_alone.store = nullptr;
  EXPECT_EQ(CreateUserTable(RangeOption<int>(4), servers_alone), nullptr);
  const std::unique_ptr<RangeWorker<int>> table(CreateUserTable(RangeOption<int>(4), ContextOf(0, false)));
  table->Add({1}, {2});
}

TEST_F(CreateUserTableTest, HalvesMayTakeNoOption) {
  const std::unique_ptr<EmptyWorker> table(CreateUserTable(EmptyOption(), ContextOf(0, true)));
  table->Add(Blob(1), Blob(1));
  table->Get(Blob(1));
}

TEST_F(CreateUserTableTest, AnotherTableUnderTheSameNumberIsNamed) {
  const std::unique_ptr<RangeWorker<int>> table(CreateUserTable(RangeOption<int>(4), ContextOf(0, true)));
  try {
    CreateUserTable(RangeOption<float>(4), ContextOf(1, false));
    FAIL() << "it is another table";
  } catch (const ps::Error& error) {
    EXPECT_EQ(error.code(), ps::StatusCode::kAlreadyExists);
    EXPECT_NE(
        std::string(error.what()).find("`multiverso::RangeOption<int>` and `multiverso::RangeOption<float>`"),
        std::string::npos)
        << error.what();
  }
}

TEST_F(CreateUserTableTest, RoundsAreRefused) {
  UserTableContext context = ContextOf(0, true);
  context.is_sync = true;
  try {
    CreateUserTable(RangeOption<int>(4), context);
    FAIL() << "it has no rounds";
  } catch (const ps::Error& error) {
    EXPECT_EQ(error.code(), ps::StatusCode::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find("-sync=true"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace multiverso
