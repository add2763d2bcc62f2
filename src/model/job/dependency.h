// Dependency: the jobs that a job waits for (--dependency), as text and parsed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/containers/parsed_text.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"

namespace muster {

enum class DependencyKind : std::uint8_t {
  after,
  after_any,
  after_ok,
  after_not_ok,
  after_corr,
  after_burst_buffer,  // treated as after_any, since there are no burst buffers
  singleton,
};
std::string_view dependency_name(DependencyKind kind);  // "afterok"

struct Condition {
  DependencyKind kind = DependencyKind::after_any;
  JobId job;
  std::optional<std::uint32_t> task;
  Minutes delay{};  // after:12+5; ignored for other kinds
  auto operator<=>(const Condition&) const = default;
};

struct Dependencies {
  std::vector<Condition> conditions;
  bool any = false;  // "?": one is enough
  bool operator==(const Dependencies&) const = default;
};

// A hard limit, whatever max_dependencies says (model/job/request_limits.h).
inline constexpr std::size_t kMostConditions = 100'000;

// "afterok:12:13,afterany:14_3", "after:5+10", "singleton", "afterok:1?afternotok:1", "12"
Parsed<Dependencies> parse_dependencies(std::string_view text);

// No conditions for an empty text and for "0"; an error if the text is malformed.
using Dependency = ParsedText<parse_dependencies>;

}  // namespace muster
