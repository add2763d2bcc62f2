// munge: credentials of the munge daemon. These calls block until it answers; our daemons make them
// only on the loop's pool.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/containers/secret.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"

namespace muster::io {

// `socket` empty = munge's own default. Only `decoder` can read the credential.
Result<std::string> encode_credential(std::string_view payload, Uid decoder,
                                      const std::string& socket);

struct Credential {
  Secret payload;
  Uid uid;  // who encoded it
  Gid gid;
};
// Whether the same credential may be decoded twice.
enum class Replay : bool { refused, accepted };
Result<Credential> decode_credential(const std::string& credential, const std::string& socket,
                                     Replay replay = Replay::refused);

// A credential that munge refuses only because of its time. Its contents may only be used to report
// the difference of the clocks.
struct Untimely {
  Credential credential;
  Seconds ahead{};  // how far the encoder's clock is ahead of ours
};
using Decoded = std::variant<Credential, Untimely>;
Result<Decoded> decode_timed_credential(const std::string& credential, const std::string& socket);

}  // namespace muster::io
