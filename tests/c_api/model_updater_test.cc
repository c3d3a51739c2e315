#include "ps/model_updater.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "model/model_rule.h"
#include "ps/c/base.h"
#include "ps/c/tensor.h"
#include "ps/c/updater.h"
#include "ps/updater.h"

namespace ps {
namespace {

// What an object was told, in order.
struct Diary {
  std::string text;
  int fail_at = -1;  // key whose calls fail
};

int CodeFor(Diary* diary, int key) {
  return key == diary->fail_at ? PSSetLastError(PS_NOT_FOUND, "not this key") : PS_OK;
}

int Create(int dtype, void* context, void** object) {
  auto* const diary = static_cast<Diary*>(context);
  diary->text += "create " + std::to_string(dtype) + "; ";
  if (diary->fail_at == 0) return PSSetLastError(PS_UNAVAILABLE, "no object today");
  *object = diary;
  return PS_OK;
}

int SetParam(void* object, const char* name, const char* value) {
  static_cast<Diary*>(object)->text += std::string(name) + "=" + value + "; ";
  return PS_OK;
}

int InitUpdater(void* object, int rank, int argc, char** argv) {
  static_cast<Diary*>(object)->text +=
      "rank " + std::to_string(rank) + " " + (argc > 0 ? argv[0] : "") + "; ";
  return PS_OK;
}

int InitModel(void* object, int key, void* weight, size_t size) {
  for (size_t i = 0; i < size; ++i) static_cast<float*>(weight)[i] = 5;
  return CodeFor(static_cast<Diary*>(object), key);
}

int Update(void* object, int key, void* weight, const void* delta, size_t size) {
  for (size_t i = 0; i < size; ++i) static_cast<float*>(weight)[i] -= static_cast<const float*>(delta)[i];
  return CodeFor(static_cast<Diary*>(object), key);
}

void Destroy(void* object) { static_cast<Diary*>(object)->text += "destroy"; }

PSModelUpdater All() {
  PSModelUpdater functions{};
  functions.struct_size = sizeof functions;
  functions.create = Create;
  functions.set_param = SetParam;
  functions.init_updater = InitUpdater;
  functions.init_model = InitModel;
  functions.update = Update;
  functions.destroy = Destroy;
  return functions;
}

// The rule of a key of two elements, at the server with rank 3.
std::unique_ptr<Updater> RuleOf(const char* name, int key) {
  ModelKeyOptions options;
  options.model = "m";
  options.key = key;
  options.shape = {1, 2};
  options.params = {{"b", "1"}, {"a", "2"}};
  auto host = std::make_shared<UpdaterHost>();
  host->rank = 3;
  host->command_line = {"word"};
  return std::move(MakeUpdater(name, options.Encode(), {DType::kF32, 1, host})).value();
}

TEST(CApiModelUpdaterTest, AnObjectIsToldAllAndUpdates) {
  static Diary diary;
  const PSModelUpdater functions = All();
  ASSERT_EQ(PSRegisterModelUpdater("c_model_rule", &functions, &diary), PS_OK) << PSGetLastError();
  {
    const auto rule = RuleOf("c_model_rule", 7);
    std::vector<float> weight(2);
    std::vector<float> delta{1, 2};
    EXPECT_EQ(rule->Initialize(weight.data(), 2), Status::Ok());
    EXPECT_EQ(weight, (std::vector<float>{5, 5}));
    const UpdateRun run{weight.data(), delta.data(), 2};
    rule->Update(&run, 1, {});
    EXPECT_EQ(weight, (std::vector<float>{4, 3}));
  }
  EXPECT_EQ(diary.text, "create 0; b=1; a=2; rank 3 word; destroy");
}

TEST(CApiModelUpdaterTest, WhatItFailsWithIsTheErrorOfTheOperation) {
  static Diary diary;
  diary.fail_at = 9;
  const PSModelUpdater functions = All();
  ASSERT_EQ(PSRegisterModelUpdater("c_model_fails", &functions, &diary), PS_OK);
  const auto rule = RuleOf("c_model_fails", 9);
  std::vector<float> weight(2);
  const UpdateRun run{weight.data(), weight.data(), 2};
  try {
    rule->Update(&run, 1, {});
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::NotFound("not this key"));
  }
}

TEST(CApiModelUpdaterTest, AnObjectThatIsNotMadeIsNotDestroyed) {
  static Diary diary;
  diary.fail_at = 0;
  const PSModelUpdater functions = All();
  ASSERT_EQ(PSRegisterModelUpdater("c_model_not_made", &functions, &diary), PS_OK);
  {
    const auto rule = RuleOf("c_model_not_made", 1);
    std::vector<float> weight(2);
    const UpdateRun run{weight.data(), weight.data(), 2};
    EXPECT_THROW(rule->Update(&run, 1, {}), Error);
  }
  EXPECT_EQ(diary.text.find("destroy"), std::string::npos) << diary.text;
}

TEST(CApiModelUpdaterTest, UpdateAloneIsEnough) {
  static Diary diary;
  PSModelUpdater functions{};
  functions.struct_size = sizeof functions;
  functions.update = [](void* object, int, void* weight, const void*, size_t) {
    static_cast<float*>(weight)[0] = object == nullptr ? 11.0F : 0.0F;
    return static_cast<int>(PS_OK);
  };
  ASSERT_EQ(PSRegisterModelUpdater("c_model_update", &functions, &diary), PS_OK);
  const auto rule = RuleOf("c_model_update", 1);
  std::vector<float> weight(2);
  EXPECT_EQ(rule->Initialize(weight.data(), 2), Status::Ok());
  const UpdateRun run{weight.data(), weight.data(), 2};
  rule->Update(&run, 1, {});
  EXPECT_EQ(weight[0], 11);
}

TEST(CApiModelUpdaterTest, WhatCanNotBeIsRefused) {
  PSModelUpdater functions = All();
  EXPECT_EQ(PSRegisterModelUpdater(nullptr, &functions, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSRegisterModelUpdater("x", nullptr, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSRegisterModelUpdater("sgd", &functions, nullptr), PS_ALREADY_EXISTS);
  functions.update = nullptr;
  EXPECT_EQ(PSRegisterModelUpdater("x", &functions, nullptr), PS_INVALID_ARGUMENT);
  functions = All();
  functions.struct_size = 3;
  EXPECT_EQ(PSRegisterModelUpdater("x", &functions, nullptr), PS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace ps
