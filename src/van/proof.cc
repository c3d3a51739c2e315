#include "van/proof.h"

#include <sodium.h>

namespace ps {
namespace {

static_assert(kDigestBytes == crypto_auth_hmacsha256_BYTES, "the size of a digest");
static_assert(kDigestBytes == crypto_generichash_BYTES && kDigestBytes == crypto_generichash_KEYBYTES,
              "the size of a digest");

const unsigned char* BytesOf(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

Digest HmacSha256(const std::string& key, const std::string& text) {
  Digest digest{};
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, BytesOf(key), key.size());
  crypto_auth_hmacsha256_update(&state, BytesOf(text), text.size());
  crypto_auth_hmacsha256_final(&state, digest.data());
  sodium_memzero(&state, sizeof(state));  // it has the key in it
  return digest;
}

Digest KeyedHash(const Digest& secret, const std::string& text) {
  Digest digest{};
  crypto_generichash(digest.data(), digest.size(), BytesOf(text), text.size(), secret.data(), secret.size());
  return digest;
}

bool SameDigest(const Digest& a, const Digest& b) {
  return sodium_memcmp(a.data(), b.data(), kDigestBytes) == 0;
}

Result<Digest> RandomDigest() {
  // Once for the process; later calls tell that it was done. The hashes above do not need it.
  if (sodium_init() < 0) return Status::Internal("libsodium finds no source of random bytes");
  Digest digest{};
  randombytes_buf(digest.data(), digest.size());
  return digest;
}

}  // namespace ps
