// The text of the PMI protocols. PMI-1: "cmd=put key=k value=v\n", the value running to the end of
// the line. PMI-2, once agreed on: a length in six characters, then "cmd=kvs-put;key=k;value=v;",
// where a ";" inside a value is doubled.
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
  std::vector<std::pair<std::string, std::string>> words;  // all but the command, in their order

  std::string_view value(std::string_view name) const;  // empty where there is none
  bool has(std::string_view name) const;
};

// Takes the first whole message off the front of the bytes received so far; nothing = not whole
// yet. An error means that the two sides do not understand each other any more.
Result<std::optional<PmiMessage>> take_pmi_message(std::string& received, PmiVersion version);

std::string pmi_text(const PmiMessage& message, PmiVersion version);

}  // namespace muster
