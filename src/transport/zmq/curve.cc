#include "transport/zmq/curve.h"

#include <zmq.h>

#include <array>

#include "transport/zmq/socket.h"

namespace ps {
namespace {

constexpr size_t kKeyBytes = 32;
using KeyText = std::array<char, kKeyChars + 1>;

}  // namespace

Status CheckCurve(bool offered) {
  if (offered) return Status::Ok();
  return Status::FailedPrecondition(
      "PS_CURVE_DIR is set, but this libzmq was built without CURVE: install one with libsodium, or unset "
      "PS_CURVE_DIR on all nodes of the job");
}

Status CheckCurve() { return CheckCurve(zmq_has("curve") == 1); }

Result<KeyPair> MakeKeyPair() {
  PS_RETURN_IF_ERROR(CheckCurve());
  KeyText public_key{};
  KeyText secret_key{};
  if (zmq_curve_keypair(public_key.data(), secret_key.data()) != 0) {
    return Status::Internal("libzmq makes no keys: " + ZmqErrorText(zmq_errno()));
  }
  return KeyPair{public_key.data(), secret_key.data()};
}

Result<std::string> KeyBytes(const std::string& key) {
  std::array<uint8_t, kKeyBytes> bytes{};
  if (key.size() != kKeyChars || zmq_z85_decode(bytes.data(), key.c_str()) == nullptr) {
    return Status::InvalidArgument("a text of " + std::to_string(key.size()) + " characters is no key");
  }
  return std::string(bytes.begin(), bytes.end());
}

Status CheckKeyPair(const KeyPair& keys) {
  for (const std::string& key : {keys.secret_key, keys.public_key}) {
    PS_RETURN_IF_ERROR(KeyBytes(key).status());
  }
  KeyText derived{};
  if (zmq_curve_public(derived.data(), keys.secret_key.c_str()) == 0 && keys.public_key == derived.data()) {
    return Status::Ok();
  }
  return Status::InvalidArgument(std::string(kPublicKeyFile) + " is not the public key of " + kSecretKeyFile);
}

Status SetCurveServer(ZmqSocket* socket, const KeyPair& keys) {
  PS_RETURN_IF_ERROR(socket->SetInt(ZMQ_CURVE_SERVER, 1));
  PS_RETURN_IF_ERROR(socket->SetText(ZMQ_CURVE_SECRETKEY, keys.secret_key));
  return socket->SetText(ZMQ_ZAP_DOMAIN, "job");
}

Status SetCurveClient(ZmqSocket* socket, const KeyPair& keys) {
  PS_RETURN_IF_ERROR(socket->SetText(ZMQ_CURVE_SERVERKEY, keys.public_key));
  PS_RETURN_IF_ERROR(socket->SetText(ZMQ_CURVE_PUBLICKEY, keys.public_key));
  return socket->SetText(ZMQ_CURVE_SECRETKEY, keys.secret_key);
}

}  // namespace ps
