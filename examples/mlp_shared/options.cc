#include "examples/mlp_shared/options.h"

#include <CLI/CLI.hpp>

namespace mlp {
namespace {

constexpr int kUsage = 2;

void AddTraining(CLI::App* app, Options* options) {
  app->add_option("--type", options->type, "of the SharedModel")
      ->check(CLI::IsMember({"local", "dist", "allreduce"}))
      ->capture_default_str();
  app->add_option("--devices", options->training.devices, "simulated devices of each process")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app->add_option("--data", options->data, "folder with the files of MNIST (examples/mnist/get_data.sh)")
      ->capture_default_str();
  app->add_option("--rounds", options->rounds, "times over the data")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app->add_option("--batch", options->training.batch, "examples per step, of all devices of all processes")
      ->check(CLI::Range(8, 8000))
      ->capture_default_str();
  app->add_option("--rate", options->training.rate, "learning rate")
      ->check(CLI::Range(1e-9, 1e3))
      ->capture_default_str();
  app->add_option("--max_error", options->max_error,
                  "percent of the test examples; above it the run has failed")
      ->check(CLI::Range(0.0, 100.0));
}

void AddLayers(CLI::App* app, Options* options) {
  LayersOptions& layers = options->layers;
  app->add_option("--layers", layers.layers,
                  "instead of training, steps of so many equal layers are measured")
      ->check(CLI::Range(1, 1000));
  app->add_option("--weights", layers.weights, "of each layer")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
  app->add_option("--slices", layers.slices, "keys of each layer")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app->add_option("--simulate_compute", layers.compute_ms,
                  "milliseconds that the layers take; 0: as long as the synchronisation")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app->add_option("--forward_share", layers.forward_share, "of that time, before the first gradient is known")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app->add_option("--steps", layers.steps, "that are measured")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app->add_option("--max_ratio", options->max_ratio,
                  "of a step with overlap to the longer of its parts; above it the run has failed")
      ->check(CLI::Range(0.0, 1e6));
}

}  // namespace

bool ParseOptions(int argc, const char* const* argv, Options* options, int* exit_code) {
  CLI::App app(
      "Trains a two-layer network on MNIST through a SharedModel, on any number of devices, alone or as a "
      "node of a job (tracker/local.sh).",
      "mlp_shared");
  std::string overlap = "on";
  app.add_option("--overlap", overlap, "on: gradients travel while others are computed; off: after them")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  AddTraining(&app, options);
  AddLayers(&app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    *exit_code = app.exit(error) == 0 ? 0 : kUsage;
    return false;
  }
  options->training.overlaps = overlap == "on";
  options->measures_steps = app.count("--layers") > 0;
  options->layers.devices = options->training.devices;
  return true;
}

}  // namespace mlp
