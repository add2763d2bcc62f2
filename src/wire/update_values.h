// What values of `scontrol update` and `scontrol create` mean. The command refuses those that mean
// nothing before anything has changed; the controller takes the meaning from the same functions.
// Times, memory and mail types are read as everywhere (base/text, model).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/node/partition.h"

namespace muster::wire {

// YES, NO, their beginnings, or a number.
std::optional<bool> parse_yes_no(std::string_view text);
// YES or NO, in full.
std::optional<bool> parse_flag(std::string_view text);

// "10", "+10", "-10", "UNLIMITED"
struct TimeLimitChange {
  enum class How : std::uint8_t { set, add, subtract };
  How how = How::set;
  Minutes by{};
  Minutes applied_to(Minutes limit) const;  // below 0 if more is taken away than there is
};
std::optional<TimeLimitChange> parse_time_limit_change(std::string_view text);

struct CountLimit {
  std::optional<std::uint32_t> most;  // unset = no limit
};
std::optional<CountLimit> parse_count_limit(std::string_view text);  // "4", "UNLIMITED", "INFINITE"

struct CountRange {
  std::uint32_t least = 0;
  std::optional<std::uint32_t> most;
};
std::optional<CountRange> parse_count_range(std::string_view text);  // "2", "2-4"

// A state by its name or the beginning of that, two letters at least.
std::optional<PartitionState> parse_partition_state(std::string_view text);

std::optional<std::int32_t> parse_site_factor(std::string_view text);
inline constexpr std::int32_t kMostSiteFactor = 2147483645;

// Nodes or cores of a reservation: "2", "2,3"; "2k" is 2048.
std::optional<std::vector<std::uint32_t>> parse_reservation_counts(std::string_view text);

// One of the words of a reservation's Flags: "+DAILY", "PURGE_COMP=5".
struct FlagChange {
  char sign = 0;          // '+', '-' or none
  std::string_view word;  // as written, without the sign
  std::string_view flag;  // its name in full
  std::optional<Minutes> span;
};
// None for an empty word. Nothing if some word is no flag.
std::optional<std::vector<FlagChange>> parse_reservation_flags(std::string_view text);

}  // namespace muster::wire
