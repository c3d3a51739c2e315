#include "c_api/server.h"

#include <string>
#include <vector>

#include "c_api/error.h"
#include "c_api/node.h"

namespace ps::c_api {
namespace {

std::vector<std::string> CopyOf(int argc, const char* const* argv) {
  if (argc < 0) throw Error(Status::InvalidArgument("argc is " + std::to_string(argc)));
  if (argc > 0) CheckGiven(argv, "argv");
  std::vector<std::string> words;
  for (int i = 0; i < argc; ++i) {
    CheckGiven(argv[i], "a word of argv");
    words.emplace_back(argv[i]);
  }
  return words;
}

}  // namespace

KVController ControllerOf(PSServerController controller, void* context) {
  if (controller == nullptr) return nullptr;
  return [controller, context](int head, const std::string& body) {
    ThrowIfError(OutcomeOf([&] { return controller(head, body.c_str(), context); }));
  };
}

}  // namespace ps::c_api

extern "C" {

int PSRunServer(PSNode node, PSServerController controller, void* context, int argc,
                const char* const* argv) {
  return ps::c_api::Call([&] {
    std::vector<std::string> words = ps::c_api::CopyOf(argc, argv);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    const auto served = ps::c_api::NodeOf(node);
    ps::RunServer(argc, pointers.data(), ps::c_api::ControllerOf(controller, context), served.get());
  });
}

}  // extern "C"
