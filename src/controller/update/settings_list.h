// The Key=Value arguments of scontrol update.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text/strings.h"

namespace muster::controller {

using SettingsList = std::vector<std::pair<std::string, std::string>>;

// The value of the first of these keys that is given.
inline std::optional<std::string> find_setting(const SettingsList& settings,
                                               std::initializer_list<std::string_view> keys) {
  for (const auto& [key, value] : settings)
    for (std::string_view wanted : keys)
      if (iequals(key, wanted)) return value;
  return std::nullopt;
}

}  // namespace muster::controller
