// LogEntry: what the log says about an event: a few words, and facts from which io makes a line of
// text or JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace muster {

struct LogFact {
  std::string_view name;  // "JobId"
  std::string value;
  bool is_number = false;
  bool operator==(const LogFact&) const = default;
};

struct LogEntry {
  std::string_view what;  // "job started"
  std::vector<LogFact> facts = {};
  std::optional<Uid> by = {};  // who requested it; unset = nobody
  bool operator==(const LogEntry&) const = default;
};

}  // namespace muster
