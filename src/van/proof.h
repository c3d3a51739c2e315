#ifndef PS_VAN_PROOF_H_
#define PS_VAN_PROOF_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "ps/status.h"

namespace ps {

// The cryptography of the handshake, done by libsodium. Pure but for RandomDigest; any thread.
constexpr size_t kDigestBytes = 32;
using Digest = std::array<uint8_t, kDigestBytes>;

// HMAC-SHA-256 (RFC 2104, FIPS 198) with a key of any length.
Digest HmacSha256(const std::string& key, const std::string& text);

// BLAKE2b-256 with `secret` as its key: what only the owner of the secret can compute, and cheaply.
Digest KeyedHash(const Digest& secret, const std::string& text);

// Compares in a time that does not depend on where the two differ.
bool SameDigest(const Digest& a, const Digest& b);

// Random bytes of the system. Errors: kInternal when the library finds no source of randomness.
Result<Digest> RandomDigest();

}  // namespace ps
#endif  // PS_VAN_PROOF_H_
