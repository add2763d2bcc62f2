// The keys of scontrol update, and what the client itself sees in their values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/scontrol/update.h"

namespace muster::cli {

struct UpdateSetting {
  std::string key, value;
  std::string word;  // as written
  char sign = 0;     // of += and -=
};

// Whether a word is a name or, of so many letters at least, its beginning.
bool abbreviates(std::string_view word, std::string_view name, std::size_t shortest);

// The key in full.
std::optional<std::string> find_update_key(wire::UpdateRequest::Kind kind, std::string_view word);

// What the user is told of a value that cannot be; has_reason: the update says why, too.
std::optional<UpdateRefusal> check_update_value(wire::UpdateRequest::Kind kind,
                                                const UpdateSetting& setting, std::string_view key,
                                                bool has_reason);

}  // namespace muster::cli
