#ifndef PS_TRANSPORT_ZMQ_CURVE_H_
#define PS_TRANSPORT_ZMQ_CURVE_H_

#include "ps/status.h"
#include "transport/key_files.h"

namespace ps {

class ZmqSocket;

// CurveZMQ: the library encrypts what a socket sends and proves who has which key. All nodes of a job use the
// same pair, as server keys where they listen and as client keys where they connect; ZapHandler admits
// nobody else.

// Whether this libzmq can do it. Errors: kFailedPrecondition, naming PS_CURVE_DIR. `offered` is what the
// library says of itself.
Status CheckCurve(bool offered);
Status CheckCurve();

// A new pair, from the system's randomness. Errors: as CheckCurve.
Result<KeyPair> MakeKeyPair();

// Errors: kInvalidArgument when the public key is not that of the secret one, or one is no key at all.
Status CheckKeyPair(const KeyPair& keys);

// The 32 bytes of a key, as the library hands them to a ZapHandler. Errors: kInvalidArgument.
Result<std::string> KeyBytes(const std::string& key);

// Before Bind and before Connect. With them a socket talks to nobody without the pair. One that listens needs
// a ZapHandler in its context: without one the library admits everybody who knows the public key.
Status SetCurveServer(ZmqSocket* socket, const KeyPair& keys);
Status SetCurveClient(ZmqSocket* socket, const KeyPair& keys);

}  // namespace ps
#endif  // PS_TRANSPORT_ZMQ_CURVE_H_
