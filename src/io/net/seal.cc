// Calls OpenSSL's ciphers; the only file that does.
#include "io/net/seal.h"

#include <openssl/evp.h>

#include <array>

#include "base/check.h"

namespace muster::io {

namespace {

using Nonce = std::array<unsigned char, 12>;

Nonce make_nonce(Direction direction, std::uint64_t number) {
  Nonce nonce{};
  nonce[0] = static_cast<unsigned char>(direction);
  for (int i = 0; i < 8; ++i) nonce[11 - i] = static_cast<unsigned char>(number >> (8 * i));
  return nonce;
}

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes(char* text) { return reinterpret_cast<unsigned char*>(text); }

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

}  // namespace

struct Seal::Contexts {
  CipherContext closing{EVP_CIPHER_CTX_new()};
  CipherContext opening{EVP_CIPHER_CTX_new()};
};

// Computes the key schedule once; later each frame only sets its nonce.
Seal::Seal(std::string_view key) : contexts_(std::make_unique<Contexts>()) {
  CHECK(key.size() == kSealKeyBytes);
  CHECK(contexts_->closing && contexts_->opening);
  CHECK(EVP_EncryptInit_ex(contexts_->closing.get(), EVP_aes_256_gcm(), nullptr, bytes(key),
                           nullptr) == 1);
  CHECK(EVP_DecryptInit_ex(contexts_->opening.get(), EVP_aes_256_gcm(), nullptr, bytes(key),
                           nullptr) == 1);
}
Seal::Seal(Seal&&) noexcept = default;
Seal& Seal::operator=(Seal&&) noexcept = default;
Seal::~Seal() = default;

void Seal::close(Direction direction, std::uint64_t number, std::string_view plain,
                 std::string& out) {
  EVP_CIPHER_CTX* context = contexts_->closing.get();
  Nonce nonce = make_nonce(direction, number);
  const std::size_t start = out.size();
  out.resize(start + plain.size() + kSealTagBytes);
  unsigned char* to = bytes(out.data() + start);
  int length = 0;
  int rest = 0;
  CHECK(EVP_EncryptInit_ex(context, nullptr, nullptr, nullptr, nonce.data()) == 1);
  CHECK(plain.empty() ||
        EVP_EncryptUpdate(context, to, &length, bytes(plain), static_cast<int>(plain.size())) == 1);
  CHECK(EVP_EncryptFinal_ex(context, to + length, &rest) == 1);
  CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, kSealTagBytes, to + plain.size()) == 1);
}

Result<std::string> Seal::open(Direction direction, std::uint64_t number, std::string_view sealed) {
  if (sealed.size() < kSealTagBytes)
    return fail(ErrorCode::access_denied, "a sealed frame is too short");
  EVP_CIPHER_CTX* context = contexts_->opening.get();
  Nonce nonce = make_nonce(direction, number);
  const std::size_t size = sealed.size() - kSealTagBytes;
  std::string plain(size, '\0');
  std::string tag(sealed.substr(size));
  int length = 0;
  int rest = 0;
  CHECK(EVP_DecryptInit_ex(context, nullptr, nullptr, nullptr, nonce.data()) == 1);
  CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, kSealTagBytes, tag.data()) == 1);
  CHECK(size == 0 || EVP_DecryptUpdate(context, bytes(plain.data()), &length, bytes(sealed),
                                       static_cast<int>(size)) == 1);
  if (EVP_DecryptFinal_ex(context, bytes(plain.data()) + length, &rest) != 1)
    return fail(ErrorCode::access_denied, "a frame was tampered with or sealed with another key");
  return plain;
}

}  // namespace muster::io
