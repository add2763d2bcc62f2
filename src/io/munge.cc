// See munge.h. The only user of libmunge.
#include "io/munge.h"

#include <fmt/format.h>
#include <munge.h>

#include <cstdlib>
#include <memory>

namespace muster::io {

namespace {

struct DestroyContext {
  void operator()(munge_ctx* context) const { munge_ctx_destroy(context); }
};
using Context = std::unique_ptr<munge_ctx, DestroyContext>;

struct Free {
  void operator()(void* memory) const { std::free(memory); }
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
  // Never the daemon's default: it may be "none", and the payload holds a key.
  if (code == EMUNGE_SUCCESS)
    code =
        munge_ctx_set(context.get(), MUNGE_OPT_CIPHER_TYPE, static_cast<int>(MUNGE_CIPHER_AES256));
  char* text = nullptr;
  if (code == EMUNGE_SUCCESS)
    code = munge_encode(&text, context.get(), payload.data(), static_cast<int>(payload.size()));
  std::unique_ptr<char, Free> owned(text);
  if (code != EMUNGE_SUCCESS) return std::unexpected(munge_error(context, code));
  return std::string(text);
}

Result<Credential> decode_credential(const std::string& credential, const std::string& socket,
                                     Replay replay) {
  Context context(munge_ctx_create());
  if (!context) return std::unexpected(munge_error(context, EMUNGE_NO_MEMORY));
  munge_err_t code = set_socket(context, socket);
  void* payload = nullptr;
  int length = 0;
  uid_t uid = 0;
  gid_t gid = 0;
  if (code == EMUNGE_SUCCESS)
    code = munge_decode(credential.c_str(), context.get(), &payload, &length, &uid, &gid);
  // An expired or replayed credential is decoded all the same: the payload must be freed, not used.
  std::unique_ptr<void, Free> owned(payload);
  if (code == EMUNGE_CRED_REPLAYED && replay == Replay::accepted) code = EMUNGE_SUCCESS;
  if (code != EMUNGE_SUCCESS) return std::unexpected(munge_error(context, code));
  return Credential{
      std::string(static_cast<const char*>(payload), static_cast<std::size_t>(length)), Uid{uid},
      Gid{gid}};
}

}  // namespace muster::io
