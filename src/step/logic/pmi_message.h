// The text of the PMI protocols. PMI-1: "cmd=put key=k value=v\n"; a value extends to the end of
// the line. PMI-2, after its handshake: a length in six characters, then
// "cmd=kvs-put;key=k;value=v;", in which a ";" within a value is doubled.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace muster {

enum class PmiVersion : std::uint8_t { one, two };

struct PmiMessage {
  std::string command;
  std::vector<std::pair<std::string, std::string>> words;  // all except the command, in order

  std::string_view value(std::string_view name) const;  // empty if there is none
  bool has(std::string_view name) const;
};

// Removes the first complete message from the received bytes; nothing if it is not complete yet.
// After an error the connection is of no use.
Result<std::optional<PmiMessage>> take_pmi_message(std::string& received, PmiVersion version);

std::string pmi_text(const PmiMessage& message, PmiVersion version);

}  // namespace muster
