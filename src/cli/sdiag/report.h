// What sdiag prints of the controller's counts, as text and as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/lib/name_lookup.h"
#include "wire/statistics.h"

namespace muster::cli {

std::string statistics_text(const wire::StatisticsReply& told, const NameLookup& names);
// The keys of Slurm's OpenAPI v0.0.39, which are those of v0.0.38 and some more.
std::string statistics_json(const wire::StatisticsReply& told, const NameLookup& names);

// Below one row for each user: those that have none of their own.
inline constexpr std::string_view kOtherUsers = "others";

// Rounded down; 0 of none.
inline std::uint64_t mean(std::uint64_t sum, std::uint64_t count) {
  return count == 0 ? 0 : sum / count;
}
// Unset in the first minute.
std::optional<std::uint64_t> plans_per_minute(const wire::StatisticsReply& told);

}  // namespace muster::cli
