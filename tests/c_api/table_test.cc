#include "ps/c/table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "ps/c/base.h"
#include "ps/c/tensor.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

// Two workers' stores on two servers.
class CApiTableTest : public testing::Test {
 protected:
  CApiTableTest() { EXPECT_EQ(PSStoreLocal(2, 2, 0, stores_), PS_OK) << PSGetLastError(); }
  ~CApiTableTest() override {
    for (const PSTable table : tables_) EXPECT_EQ(PSTableFree(table), PS_OK);
    for (const PSStore store : stores_) EXPECT_EQ(PSStoreFree(store), PS_OK);
  }

  static PSTableOptions Options(int kind, int64_t rows, int64_t cols) {
    PSTableOptions options{};
    options.struct_size = sizeof options;
    options.kind = kind;
    options.name = "w";
    options.rows = rows;
    options.cols = cols;
    options.min_split = 1;
    return options;
  }
  PSTable Make(const PSTableOptions& options, int worker = 0) {
    PSTable table = nullptr;
    EXPECT_EQ(PSTableCreate(stores_[worker], &options, &table), PS_OK) << PSGetLastError();
    tables_.push_back(table);
    return table;
  }
  template <typename T>
  static PSTableValues All(std::vector<T>* values) {
    PSTableValues what{};
    what.struct_size = sizeof what;
    what.values = values->data();
    what.num_values = values->size();
    return what;
  }
  template <typename T>
  static PSTableValues Of(const std::vector<int64_t>& ids, std::vector<T>* values) {
    PSTableValues what = All(values);
    what.ids = ids.data();
    what.num_ids = ids.size();
    return what;
  }
  static std::vector<float> Read(PSTable table, size_t size) {
    std::vector<float> read(size, -1.0F);
    const PSTableValues what = All(&read);
    EXPECT_EQ(PSTableGet(table, &what, nullptr), PS_OK) << PSGetLastError();
    return read;
  }
  static int Wait(PSRequest request) {
    const int code = PSRequestWait(request, -1);
    EXPECT_EQ(PSRequestFree(request), PS_OK);
    return code;
  }

  Watchdog watchdog_;
  PSStore stores_[2] = {};
  std::vector<PSTable> tables_;
};

TEST_F(CApiTableTest, RowsOfAMatrixAreAddedReadSetAndErased) {
  const PSTable table = Make(Options(PS_MATRIX, 4, 2));
  std::vector<float> values{1, 2, 3, 4};
  const std::vector<int64_t> ids{3, 0};
  const PSTableValues what = Of(ids, &values);
  EXPECT_EQ(PSTableAdd(table, &what, nullptr), PS_OK) << PSGetLastError();
  EXPECT_EQ(Read(table, 8), (std::vector<float>{3, 4, 0, 0, 0, 0, 1, 2}));
  EXPECT_EQ(PSTableAdd(table, &what, nullptr), PS_OK);
  EXPECT_EQ(PSTableSet(table, &what, nullptr), PS_OK);
  std::vector<float> read(4);
  const PSTableValues to = Of(ids, &read);
  EXPECT_EQ(PSTableGet(table, &to, nullptr), PS_OK);
  EXPECT_EQ(read, values);
  EXPECT_EQ(PSTableErase(table, ids.data(), 1, nullptr), PS_OK);
  EXPECT_EQ(Read(table, 8), (std::vector<float>{3, 4, 0, 0, 0, 0, 0, 0}));
  int64_t rows = 0;
  int64_t cols = 0;
  int dtype = -1;
  EXPECT_EQ(PSTableGetSize(table, &rows, &cols), PS_OK);
  EXPECT_EQ(rows, 4);
  EXPECT_EQ(cols, 2);
  EXPECT_EQ(PSTableGetDType(table, &dtype), PS_OK);
  EXPECT_EQ(dtype, PS_F32);
}

TEST_F(CApiTableTest, MapsTakeAnyKeyAndKeepSeveralNumbers) {
  PSTableOptions options = Options(PS_MAP, 0, 2);
  options.dtype = PS_I64;
  const PSTable table = Make(options);
  std::vector<int64_t> values{1, 2, 3, 4};
  const std::vector<int64_t> keys{-5, int64_t{1} << 60};
  const PSTableValues what = Of(keys, &values);
  EXPECT_EQ(PSTableAdd(table, &what, nullptr), PS_OK) << PSGetLastError();
  std::vector<int64_t> read(4);
  const PSTableValues to = Of(keys, &read);
  EXPECT_EQ(PSTableGet(table, &to, nullptr), PS_OK);
  EXPECT_EQ(read, values);
  const PSTableValues whole = All(&read);
  EXPECT_EQ(PSTableGet(table, &whole, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSTableErase(table, nullptr, 0, nullptr), PS_INVALID_ARGUMENT);
}

TEST_F(CApiTableTest, WithARequestNobodyWaits) {
  const PSTable table = Make(Options(PS_ARRAY, 6, 0));
  std::vector<float> values(6, 2);
  PSTableValues what = All(&values);
  PSRequest request = nullptr;
  EXPECT_EQ(PSTableAdd(table, &what, &request), PS_OK);
  EXPECT_EQ(Wait(request), PS_OK);
  what.borrow = 1;
  EXPECT_EQ(PSTableAdd(table, &what, &request), PS_OK);
  EXPECT_EQ(Wait(request), PS_OK);
  std::vector<float> read(6);
  const PSTableValues to = All(&read);
  EXPECT_EQ(PSTableGet(table, &to, &request), PS_OK);
  EXPECT_EQ(Wait(request), PS_OK);
  EXPECT_EQ(read, std::vector<float>(6, 4));
  EXPECT_EQ(PSTableSet(table, &what, &request), PS_OK);
  EXPECT_EQ(Wait(request), PS_OK);
  const int64_t first = 0;
  EXPECT_EQ(PSTableErase(table, &first, 1, &request), PS_OK);
  EXPECT_EQ(Wait(request), PS_OK);
  EXPECT_EQ(Read(table, 6), (std::vector<float>{0, 2, 2, 2, 2, 2}));
}

TEST_F(CApiTableTest, DeltaReadsSayWhatHasChanged) {
  PSTableOptions options = Options(PS_MATRIX, 4, 2);
  options.delta = 1;
  const PSTable table = Make(options);
  std::vector<float> read(8);
  uint32_t changed[4] = {};
  size_t num_changed = 77;
  PSTableValues to = All(&read);
  to.changed = changed;
  to.num_changed = &num_changed;
  EXPECT_EQ(PSTableGet(table, &to, nullptr), PS_OK) << PSGetLastError();
  std::vector<float> values{5, 6};
  const std::vector<int64_t> ids{2};
  const PSTableValues what = Of(ids, &values);
  EXPECT_EQ(PSTableAdd(table, &what, nullptr), PS_OK);
  PSRequest request = nullptr;
  EXPECT_EQ(PSTableGet(table, &to, &request), PS_OK);
  EXPECT_EQ(Wait(request), PS_OK);
  EXPECT_EQ(num_changed, 1U);
  EXPECT_EQ(changed[0], 2U);
  EXPECT_EQ(PSTableGet(table, &to, nullptr), PS_OK);
  EXPECT_EQ(num_changed, 0U);
  EXPECT_EQ(read, (std::vector<float>{0, 0, 0, 0, 5, 6, 0, 0}));
  to.buffer = 1;
  EXPECT_EQ(PSTableGet(table, &to, nullptr), PS_INVALID_ARGUMENT);
  to.buffer = 0;
  to.num_changed = nullptr;
  EXPECT_EQ(PSTableGet(table, &to, nullptr), PS_INVALID_ARGUMENT);
}

TEST_F(CApiTableTest, RulesAndTheirOptionsChange) {
  PSTableOptions options = Options(PS_ARRAY, 2, 0);
  options.updater = "sgd";
  const PSTable table = Make(options);
  std::vector<float> values(2, 1);
  PSTableValues what = All(&values);
  what.rule = "lr=0.5";
  EXPECT_EQ(PSTableAdd(table, &what, nullptr), PS_OK) << PSGetLastError();
  EXPECT_EQ(Read(table, 2), std::vector<float>(2, -0.5F));
  EXPECT_EQ(PSTableSetOptions(table, "lr=2", 0, nullptr), PS_OK);
  what.rule = nullptr;
  EXPECT_EQ(PSTableAdd(table, &what, nullptr), PS_OK);
  EXPECT_EQ(Read(table, 2), std::vector<float>(2, -2.5F));
  EXPECT_EQ(PSTableSetUpdater(table, "assign", nullptr), PS_OK) << PSGetLastError();
  EXPECT_EQ(PSTableAdd(table, &what, nullptr), PS_OK);
  EXPECT_EQ(Read(table, 2), std::vector<float>(2, 1.0F));
  EXPECT_EQ(PSTableSetUpdater(table, "nonsense", nullptr), PS_NOT_FOUND) << PSGetLastError();
  EXPECT_EQ(PSTableSetOptions(table, "lr", 0, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSTableSetUpdater(table, nullptr, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSTableSetOptions(table, nullptr, 0, nullptr), PS_INVALID_ARGUMENT);
}

TEST_F(CApiTableTest, WhoLeavesIsNotWaitedFor) {
  PSTableOptions options = Options(PS_ARRAY, 2, 0);
  options.mode = "bsp";
  const PSTable first = Make(options, 0);
  const PSTable second = Make(options, 1);
  EXPECT_EQ(PSTableLeave(second, nullptr), PS_OK);
  std::vector<float> values(2, 1);
  const PSTableValues what = All(&values);
  EXPECT_EQ(PSTableAdd(first, &what, nullptr), PS_OK);
  EXPECT_EQ(Read(first, 2), std::vector<float>(2, 1));
}

TEST_F(CApiTableTest, ARoundMayBeEndedByHand) {
  PSTableOptions options = Options(PS_ARRAY, 2, 0);
  options.mode = "bsp";
  options.merged = 1;
  options.manual_close = 1;
  const PSTable first = Make(options, 0);
  const PSTable second = Make(options, 1);
  std::vector<float> values(2, 1);
  const PSTableValues what = All(&values);
  EXPECT_EQ(PSTableCloseRound(second, nullptr), PS_OK);
  EXPECT_EQ(PSTableAdd(first, &what, nullptr), PS_OK);
  EXPECT_EQ(PSTableAdd(first, &what, nullptr), PS_OK);
  EXPECT_EQ(Read(first, 2), std::vector<float>(2, 0)) << "not before it ends its round";
  PSRequest request = nullptr;
  EXPECT_EQ(PSTableCloseRound(first, &request), PS_OK);
  EXPECT_EQ(Wait(request), PS_OK);
  EXPECT_EQ(Read(first, 2), std::vector<float>(2, 2));
}

TEST_F(CApiTableTest, AnotherTableOfTheNameIsRefusedWithWhatDiffers) {
  Make(Options(PS_MATRIX, 4, 2));
  const PSTableOptions other = Options(PS_MATRIX, 5, 2);
  PSTable table = nullptr;
  EXPECT_EQ(PSTableCreate(stores_[1], &other, &table), PS_ALREADY_EXISTS);
  EXPECT_NE(std::string(PSGetLastError()).find("rows"), std::string::npos) << PSGetLastError();
  EXPECT_EQ(table, nullptr);
  EXPECT_EQ(PSTableCreate(stores_[1], nullptr, &table), PS_INVALID_ARGUMENT);
  PSTableOptions nameless = other;
  nameless.name = nullptr;
  nameless.buffers = -1;
  EXPECT_EQ(PSTableCreate(stores_[1], &nameless, &table), PS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(PSGetLastError()).find("name"), std::string::npos) << PSGetLastError();
  EXPECT_EQ(PSTableCreate(stores_[1], &other, nullptr), PS_INVALID_ARGUMENT);
}

TEST_F(CApiTableTest, SizesIdsAndArraysThatDoNotFitAreRefused) {
  const PSTable table = Make(Options(PS_MATRIX, 4, 2));
  std::vector<float> values(8);
  std::vector<int64_t> ids{0, 1};
  PSTableValues what = All(&values);
  EXPECT_EQ(PSTableAdd(table, nullptr, nullptr), PS_INVALID_ARGUMENT);
  const auto refused = [&](const PSTableValues& wrong) {
    PSRequest request = nullptr;
    return PSTableAdd(table, &wrong, nullptr) == PS_INVALID_ARGUMENT &&
           PSTableGet(table, &wrong, nullptr) == PS_INVALID_ARGUMENT &&
           PSTableSet(table, &wrong, &request) == PS_INVALID_ARGUMENT && request == nullptr;
  };
  what.num_values = 7;
  EXPECT_TRUE(refused(what));
  what.num_values = 8;
  what.num_ids = 4;
  EXPECT_TRUE(refused(what)) << "no ids are there";
  what.ids = ids.data();
  what.num_ids = size_t{1} << 63;
  EXPECT_TRUE(refused(what)) << "more ids than values";
  what = All(&values);
  what.values = nullptr;
  EXPECT_TRUE(refused(what));
  what.values = reinterpret_cast<char*>(values.data()) + 1;
  EXPECT_TRUE(refused(what)) << "not aligned";
  ids[1] = 4;
  values.resize(4);
  what = Of(ids, &values);
  EXPECT_TRUE(refused(what)) << "no such row";
  EXPECT_EQ(PSTableErase(table, ids.data(), 2, nullptr), PS_INVALID_ARGUMENT);
  what.struct_size = 0;
  EXPECT_TRUE(refused(what));
  EXPECT_EQ(Read(table, 8), std::vector<float>(8, 0)) << "nothing was written";
}

}  // namespace
}  // namespace ps
