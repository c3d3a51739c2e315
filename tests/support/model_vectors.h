// What the acceptance vectors of SharedModel have in common.
#ifndef PS_TESTS_SUPPORT_MODEL_VECTORS_H_
#define PS_TESTS_SUPPORT_MODEL_VECTORS_H_

#include <map>
#include <string>
#include <vector>

#include "ps/shared_model.h"
#include "tests/support/model_arrays.h"
#include "tests/support/test_model_updater.h"

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

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_MODEL_VECTORS_H_
