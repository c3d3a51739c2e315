#ifndef PS_STORE_COMMAND_SERVER_H_
#define PS_STORE_COMMAND_SERVER_H_

#include <functional>
#include <string>

#include "ps/simple_app.h"

namespace ps {

class Postoffice;

// Answers the commands that workers send to the servers (SharedStore::commands), on a thread of its own.
class CommandServer {
 public:
  static constexpr int kProfilerCommand = 5;
  // What it throws is the error of who asked.
  using Controller = std::function<void(int head, const std::string& body)>;

  // `node` has been started. Without a controller every command is unknown: kNotFound, with the server, the
  // number and the text; but for kProfilerCommand, MXNet's, which is not supported yet.
  CommandServer(Postoffice* node, Controller controller);

 private:
  SimpleApp app_;
};

}  // namespace ps
#endif  // PS_STORE_COMMAND_SERVER_H_
