// Calls libmunge; the only file that does.
#include "io/net/munge.h"

#include <fmt/format.h>
#include <munge.h>

#include <strings.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

namespace muster::io {

namespace {

struct DestroyContext {
  void operator()(munge_ctx* context) const { munge_ctx_destroy(context); }
};
using Context = std::unique_ptr<munge_ctx, DestroyContext>;

// What munge gives out, which is not left in memory.
struct Wipe {
  std::size_t size = 0;
  void operator()(void* memory) const {
    ::explicit_bzero(memory, size);
    std::free(memory);
  }
};

Error munge_error(const Context& context, munge_err_t code) {
  const char* detail = context ? munge_ctx_strerror(context.get()) : nullptr;
  return {ErrorCode::access_denied,
          fmt::format("munge: {}", detail ? detail : munge_strerror(code))};
}

munge_err_t set_socket(const Context& context, const std::string& socket) {
  if (socket.empty()) return EMUNGE_SUCCESS;
  return munge_ctx_set(context.get(), MUNGE_OPT_SOCKET, socket.c_str());
}

}  // namespace

Result<std::string> encode_credential(std::string_view payload, Uid decoder,
                                      const std::string& socket) {
  Context context(munge_ctx_create());
  if (!context) return std::unexpected(munge_error(context, EMUNGE_NO_MEMORY));
  munge_err_t code = set_socket(context, socket);
  if (code == EMUNGE_SUCCESS)
    code =
        munge_ctx_set(context.get(), MUNGE_OPT_UID_RESTRICTION, static_cast<uid_t>(decoder.value));
  // Set the cipher, because the daemon's default may be "none", and the payload contains a key.
  if (code == EMUNGE_SUCCESS)
    code =
        munge_ctx_set(context.get(), MUNGE_OPT_CIPHER_TYPE, static_cast<int>(MUNGE_CIPHER_AES256));
  char* text = nullptr;
  if (code == EMUNGE_SUCCESS)
    code = munge_encode(&text, context.get(), payload.data(), static_cast<int>(payload.size()));
  std::unique_ptr<char, Wipe> owned(text, Wipe{text ? std::strlen(text) : 0});
  if (code != EMUNGE_SUCCESS) return std::unexpected(munge_error(context, code));
  return std::string(text);
}

namespace {

struct Opened {
  Context context;
  munge_err_t code = EMUNGE_SUCCESS;
  Credential credential;
};

// Decodes a credential. Expired and replayed ones are decoded too; the code says so.
Opened open_credential(const std::string& credential, const std::string& socket) {
  Opened opened{.context = Context(munge_ctx_create()), .code = EMUNGE_NO_MEMORY, .credential = {}};
  if (!opened.context) return opened;
  opened.code = set_socket(opened.context, socket);
  if (opened.code != EMUNGE_SUCCESS) return opened;
  void* payload = nullptr;
  int length = 0;
  uid_t uid = 0;
  gid_t gid = 0;
  opened.code =
      munge_decode(credential.c_str(), opened.context.get(), &payload, &length, &uid, &gid);
  const auto size = static_cast<std::size_t>(std::max(length, 0));
  std::unique_ptr<void, Wipe> owned(payload, Wipe{payload ? size : 0});
  if (payload)
    opened.credential = {std::string_view(static_cast<const char*>(payload), size), Uid{uid},
                         Gid{gid}};
  return opened;
}

Seconds time_of(const Context& context, munge_opt_t which) {
  time_t time = 0;
  munge_ctx_get(context.get(), which, &time);
  return Seconds{time};
}

}  // namespace

Result<Credential> decode_credential(const std::string& credential, const std::string& socket,
                                     Replay replay) {
  Opened opened = open_credential(credential, socket);
  if (opened.code == EMUNGE_CRED_REPLAYED && replay == Replay::accepted)
    opened.code = EMUNGE_SUCCESS;
  if (opened.code != EMUNGE_SUCCESS)
    return std::unexpected(munge_error(opened.context, opened.code));
  return std::move(opened.credential);
}

Result<Decoded> decode_timed_credential(const std::string& credential, const std::string& socket) {
  Opened opened = open_credential(credential, socket);
  if (opened.code == EMUNGE_SUCCESS) return std::move(opened.credential);
  if (opened.code != EMUNGE_CRED_EXPIRED && opened.code != EMUNGE_CRED_REWOUND)
    return std::unexpected(munge_error(opened.context, opened.code));
  const Seconds ahead = time_of(opened.context, MUNGE_OPT_ENCODE_TIME) -
                        time_of(opened.context, MUNGE_OPT_DECODE_TIME);
  return Untimely{.credential = std::move(opened.credential), .ahead = ahead};
}

}  // namespace muster::io
