// Time limits and run times in Slurm's spellings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace muster {

// Limits are whole minutes; kUnlimited means no limit.
inline constexpr Minutes kUnlimited = Minutes::max();

// "minutes", "minutes:seconds", "hours:minutes:seconds", "days-hours", "days-hours:minutes",
// "days-hours:minutes:seconds", "infinite", "unlimited", "-1"; seconds round up to a minute.
// The caller decides whether 0 means unlimited.
std::optional<Minutes> parse_time_limit(std::string_view text);

// The same spellings to the second.
std::optional<Seconds> parse_duration(std::string_view text);

// "1-02:03:04" or "02:03:04" (scontrol, sacct); UNLIMITED for kUnlimited.
std::string format_limit(Minutes limit);
std::string format_elapsed(Seconds span);  // "[D-]HH:MM:SS"
// squeue's and sinfo's shorter form: "3:04", "1:02:03", "2-00:00:00".
std::string format_elapsed_short(Seconds span);

}  // namespace muster
