#ifndef PS_TRANSPORT_KEY_FILES_H_
#define PS_TRANSPORT_KEY_FILES_H_

#include <cstddef>
#include <string>

#include "ps/status.h"

namespace ps {

// The key pair of a job (Curve25519), each key as 40 characters of Z85 (ZeroMQ's RFC 32). Every node has the
// same one: it is what makes a node one of the job.
struct KeyPair {
  std::string public_key;
  std::string secret_key;
};

constexpr size_t kKeyChars = 40;
// In the directory that PS_CURVE_DIR names.
constexpr const char* kSecretKeyFile = "job.key";
constexpr const char* kPublicKeyFile = "job.pub";

// Reads both files. Errors (kInvalidArgument) name PS_CURVE_DIR, the file, and what to do: a directory or
// file that is not there or cannot be read, a secret that others may read, text that is no key. Whether the
// two belong together is for CheckKeyPair (transport/zmq/curve.h). Never blocks on what is no plain file.
Result<KeyPair> ReadKeyPair(const std::string& directory);

// Makes the directory (mode 0700) unless it is there, and both files (mode 0600, at no moment more). Errors:
// kAlreadyExists when one of them is there and not to be replaced; kUnavailable with the system's text.
Status WriteKeyPair(const std::string& directory, const KeyPair& keys, bool replace);

}  // namespace ps
#endif  // PS_TRANSPORT_KEY_FILES_H_
