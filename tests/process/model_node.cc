// A process of a job whose workers share a model: of any role, in one program.
//
//   model_node sums                  dist_async_sum: 3 workers with devices 1 and 2
//   model_node updater               a rule of this program at the servers
//   model_node allreduce <scale>     sum or mean over the workers
//   model_node killed <type> <mode>  worker 1 dies in its third round: the others say who it was, and end
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ps/ps.h"
#include "ps/run_server.h"
#include "ps/shared_model.h"

namespace {

using Floats = std::vector<float>;

// Begins with what the command line says, and adds.
class Adding final : public ps::ModelUpdater {
 public:
  void SetParam(const std::string& name, const std::string& value) override {
    if (name == "times") times_ = std::stof(value);
  }
  void InitUpdater(int rank, int argc, char** argv) override {
    std::printf("InitUpdater(%d) %s\n", rank, argc > 1 ? argv[1] : "without a command line");
    std::fflush(stdout);
    start_ = argc > 1 ? 100 : 0;
  }
  void InitModel(int, const ps::TensorView& weight) override { *Of(weight) = start_; }
  void Update(int, const ps::TensorView& weight, const ps::TensorView& delta) override {
    *Of(weight) += times_ * *Of(delta);
  }

 private:
  static float* Of(const ps::TensorView& view) { return static_cast<float*>(view.data); }
  float times_ = 1;
  float start_ = 0;
};

ps::TensorView ViewOf(Floats* values) {
  ps::TensorView view;
  view.data = values->data();
  view.shape = {static_cast<std::int64_t>(values->size())};
  return view;
}

void Check(bool is_right, const std::string& what) {
  if (!is_right) throw std::runtime_error(what);
}

// Of devices 1 and 2.
void Round(ps::SharedModel* model, int key, float of_one, float of_two, Floats* out) {
  Floats one{of_one};
  Floats two{of_two};
  Floats other(1);
  model->Push(ViewOf(&one), key, 1);
  model->Push(ViewOf(&two), key, 2);
  const ps::Ticket pull = model->PullReq(ViewOf(out), key, 1);
  model->PullReq(ViewOf(&other), key, 2);
  model->PullWait(key, 2);
  pull.Wait();
  Check(*out == other, "the devices have different values");
}

void Sums() {
  const auto model = ps::SharedModel::Create("dist");
  model->Init({1, 2});
  model->InitKey({1}, 0, 1);
  model->InitKey({1}, 1, 1);
  Floats out(1);
  Round(model.get(), 0, 0, 0, &out);
  Check(out[0] == 0, "key 0 is not 0");
  Round(model.get(), 1, 1, 2, &out);
  Check(out[0] == 3 || out[0] == 6 || out[0] == 9, "key 1 is " + std::to_string(out[0]));
  std::printf("first %g\n", static_cast<double>(out[0]));
  ps::Postoffice::Get()->Barrier(0, ps::kWorkerGroup);
  model->PullReq(ViewOf(&out), 1, 2).Wait();
  Check(out[0] == 9, "key 1 is " + std::to_string(out[0]) + " at the end");
  ps::Postoffice::Get()->Barrier(0, ps::kWorkerGroup);
}

void WithUpdater() {
  const auto model = ps::SharedModel::Create("dist");
  model->SetParam("mode", "bsp");
  model->SetParam("times", "2");
  model->SetUpdater("adding");
  model->Init({1, 2});
  model->InitKey({1}, 0, 1);
  Floats out(1);
  for (int round = 1; round <= 3; ++round) {
    Round(model.get(), 0, 1, 2, &out);
    const int workers = ps::NumWorkers();
    Check(out[0] == static_cast<float>(100 + 6 * workers * round), "round " + std::to_string(round));
  }
}

// sm-vec-28: device 1 of worker r pushes 2r + 1, device 2 one more.
void Allreduced(const std::string& scale) {
  const auto model = ps::SharedModel::Create("allreduce");
  model->SetParam("scale", scale);
  model->Init({1, 2});
  model->InitKey({1}, 0, 1);
  const auto first = static_cast<float>(2 * ps::MyRank() + 1);
  Floats out(1);
  for (int round = 1; round <= 3; ++round) {
    Round(model.get(), 0, first, first + 1, &out);
    std::printf("round %d: %g\n", round, static_cast<double>(out[0]));
  }
}

// Whoever survives must be told who died.
void Killed(const std::string& type, const std::string& mode) {
  const auto model = ps::SharedModel::Create(type);
  if (type == "dist") model->SetParam("mode", mode);
  model->Init({1, 2});
  model->InitKey({1}, 0, 1);
  try {
    for (int round = 1; round <= 1000; ++round) {
      Floats one{1};
      if (round == 3 && ps::MyRank() == 1) {
        model->Push(ViewOf(&one), 0, 1);
        ::kill(::getpid(), SIGKILL);
      }
      Floats out(1);
      Round(model.get(), 0, 1, 2, &out);
    }
  } catch (const ps::Error& error) {
    std::printf("told: %s\n", error.what());
    std::fflush(stdout);
    Check(std::string(error.what()).find("worker 1") != std::string::npos, "nobody is named");
    std::_Exit(0);  // the job is over
  }
  throw std::runtime_error("nothing was noticed");
}

void Work(const std::vector<std::string>& arguments) {
  ps::Start(0);
  const std::string what = arguments.at(0);
  if (what == "sums") Sums();
  if (what == "updater") WithUpdater();
  if (what == "allreduce") Allreduced(arguments.at(1));
  if (what == "killed") Killed(arguments.at(1), arguments.at(2));
  ps::Finalize(0);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    ps::ThrowIfError(ps::RegisterModelUpdater(
        "adding", [](ps::DType) -> std::unique_ptr<ps::ModelUpdater> { return std::make_unique<Adding>(); }));
    if (ps::IsWorker()) {
      Work(std::vector<std::string>(argv + 1, argv + argc));
    } else {
      ps::RunServer(argc, argv);
    }
  } catch (const std::exception& error) {
    std::printf("failed: %s\n", error.what());
    return 1;
  }
  return 0;
}
