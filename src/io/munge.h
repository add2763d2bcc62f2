// Credentials of the munge daemon. Both calls block while it answers; a daemon makes them on
// Loop::run_blocking only.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"

namespace muster::io {

// `socket` empty = munge's own default. Only `decoder` can read the credential.
Result<std::string> encode_credential(std::string_view payload, Uid decoder,
                                      const std::string& socket);

struct Credential {
  std::string payload;
  Uid uid;  // who encoded it
  Gid gid;
};
// Whether a credential may be shown again.
enum class Replay : bool { refused, accepted };
Result<Credential> decode_credential(const std::string& credential, const std::string& socket,
                                     Replay replay = Replay::refused);

}  // namespace muster::io
