// Credentials of the munge daemon. Both calls block while it answers; a daemon makes them on
// Loop::run_blocking only.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"

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

// Where munge refuses a credential for its time alone: whose it is, and what it holds, none of
// which may be believed for more than telling of the difference.
struct Untimely {
  Credential credential;
  Seconds ahead{};  // the clock of who encoded it, of ours
};
using Decoded = std::variant<Credential, Untimely>;
Result<Decoded> decode_timed_credential(const std::string& credential, const std::string& socket);

}  // namespace muster::io
