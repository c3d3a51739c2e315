// ps_keygen: makes the key pair with which a job encrypts, see PS_CURVE_DIR.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "transport/key_files.h"
#include "transport/zmq/curve.h"

namespace {

constexpr int kUsage = 2;

int Fail(const std::string& what) {
  std::fprintf(stderr, "ps_keygen: %s\n", what.c_str());
  return 1;
}

int MakePair(const std::string& directory, bool force) {
  const ps::Result<ps::KeyPair> keys = ps::MakeKeyPair();
  if (!keys.ok()) return Fail(keys.status().message());
  const ps::Status written = ps::WriteKeyPair(directory, keys.value(), force);
  if (written.code() == ps::StatusCode::kAlreadyExists) {
    return Fail(written.message() + "; --force replaces it, and with it every copy that other nodes have");
  }
  if (!written.ok()) return Fail(written.message());
  std::printf("%s and %s are in %s; copy it to every node of the job and set PS_CURVE_DIR to it there\n",
              ps::kSecretKeyFile, ps::kPublicKeyFile, directory.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Makes the key pair of a job: DIR (mode 0700) with job.key and job.pub (mode 0600). Nodes whose "
      "PS_CURVE_DIR names such a directory encrypt everything and talk only to nodes with the same pair.");
  std::string directory;
  bool force = false;
  app.add_option("DIR", directory, "where to put the pair; made unless it is there")->required();
  app.add_flag("--force", force, "replace a pair that is there");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  return MakePair(directory, force);
}
