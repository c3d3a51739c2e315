// What the acceptance vectors of SharedModel have in common.
#ifndef PS_TESTS_SUPPORT_MODEL_VECTORS_H_
#define PS_TESTS_SUPPORT_MODEL_VECTORS_H_

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "ps/dtype_of.h"
#include "ps/shared_model.h"
#include "tests/support/model_arrays.h"
#include "tests/support/test_model_updater.h"
#include "tests/support/watchdog.h"

namespace ps {

using Floats = std::vector<float>;
using Params = std::map<std::string, std::string>;

// Of all updaters of the process.
inline UpdaterDiary& Diary() {
  static auto* diary = new UpdaterDiary;  // NOLINT: updaters of the process write into it
  return *diary;
}

inline const std::string& TestUpdater() {
  static const auto* name = new std::string(RegisterTestUpdater("vectors_updater", &Diary()));  // NOLINT
  return *name;
}

// Pushes on devices 3 and 7, pulls on both, and says what came.
inline Floats Round(SharedModel* model, float of_three, float of_seven, int key = 0) {
  Floats three{of_three};
  Floats seven{of_seven};
  Floats pulled[2] = {Floats(1), Floats(1)};
  model->Push(ViewOf(&three), key, 3);
  model->Push(ViewOf(&seven), key, 7);
  model->PullReq(ViewOf(pulled), key, 3);
  model->PullReq(ViewOf(pulled + 1), key, 7);
  model->PullWait(key, 3);
  model->PullWait(key, 7);
  return {pulled[0][0], pulled[1][0]};
}

// Both devices push `value`, and `sum` comes back.
template <typename T>
void ExpectSumOf(SharedModel* model, int key, T value, T sum) {
  model->InitKey({2}, key, 3, DTypeOf<T>::value);
  std::vector<T> values(2, value);
  std::vector<T> out(2);
  for (const int device : {3, 7}) model->Push(ViewOf(&values), key, device);
  model->PullReq(ViewOf(&out), key, 7).Wait();
  EXPECT_EQ(out, std::vector<T>(2, sum)) << NameOf(DTypeOf<T>::value);
}

// sm-vec-17. Key 0 is there.
inline void ExpectOnePullAtATime(SharedModel* model) {
  Floats one{1};
  Floats out(1);
  model->Push(ViewOf(&one), 0, 3);  // device 7 has not
  const Ticket pull = model->PullReq(ViewOf(&out), 0, 3);
  ExpectRefused(StatusCode::kFailedPrecondition, {"key 0, device 3", "PullWait"},
                [&] { model->PullReq(ViewOf(&out), 0, 3); });
  model->Push(ViewOf(&one), 0, 7);
  pull.Wait();
}

// sm-vec-31: three devices with two keys of large arrays, of which the second one's round is never complete;
// and one device alone, whose arrays are not copied.
inline void DestroyWithWorkUnderWay(const std::string& type, const Params& params) {
  for (int round = 0; round < 10; ++round) {
    SharedModelOptions options;
    options.name = "m" + std::to_string(round);
    auto model = SharedModel::Create(type, options);
    model->SetUpdater("sgd");
    for (const auto& [name, value] : params) model->SetParam(name, value);
    const int num_devices = round % 2 == 0 ? 3 : 1;
    num_devices == 3 ? model->Init({0, 1, 2}) : model->Init();
    std::vector<Floats> arrays(6, Floats(100000, 1));
    std::atomic<bool> is_gone{false};
    std::atomic<int> late{0};
    for (int i = 0; i < 2 * num_devices; ++i) {
      const int key = i / num_devices;
      const int device = i % num_devices;
      Floats& array = arrays[static_cast<std::size_t>(i)];
      model->InitKey({static_cast<std::int64_t>(array.size())}, key, device);
      if (i == 5) continue;
      model->Push(ViewOf(&array), key, device);
      model->PullReq(ViewOf(&array), key, device, 0, [&](Stream*) { late += is_gone ? 1 : 0; });
    }
    const auto begin = std::chrono::steady_clock::now();
    model.reset();
    is_gone = true;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::duration<double>(20 * TestTimeScale()));
    arrays.clear();  // nobody uses them
    EXPECT_EQ(late, 0);
  }
}

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_MODEL_VECTORS_H_
