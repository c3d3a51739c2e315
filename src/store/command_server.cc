#include "store/command_server.h"

#include <utility>

#include "ps/postoffice.h"
#include "store/shared_store.h"

namespace ps {
namespace {

constexpr std::size_t kMostShown = 100;  // of a command's text

}  // namespace

CommandServer::CommandServer(Postoffice* node, Controller controller) : app_(node, kCommandApp, kCommandApp) {
  app_.set_request_handle(
      [node, controller = std::move(controller)](const SimpleData& command, SimpleApp* app) {
        if (!controller && command.head == CommandServer::kProfilerCommand)
          ThrowIfError(Status::FailedPrecondition("server " + std::to_string(node->my_rank()) +
                                                  ": profiler commands are not supported yet"));
        if (!controller)
          ThrowIfError(Status::NotFound("server " + std::to_string(node->my_rank()) + ", unknown command (" +
                                        std::to_string(command.head) + ", " +
                                        command.body.substr(0, kMostShown) + ")"));
        controller(command.head, command.body);
        app->Response(command);
      });
}

}  // namespace ps
