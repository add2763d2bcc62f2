// Dates in Slurm's spellings. The caller passes the current time; the C library knows the time
// zone. The core never calls this.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace muster {

// "now", "now+1hour", "now-5minutes", "today", "midnight", "noon", "teatime", "tomorrow",
// "16:00[:30] [AM|PM]", "2010-01-20[T12:34[:56]]", "MMDD[YY]", "MM/DD[/YY]", "MM.DD[.YY]",
// "YYYY-MM-DD", with "-HH:MM[:SS]" or "THH:MM" times, "uts123".
// A time of day that has passed means tomorrow, unless `past` is set (sacct -S).
struct DateOptions {
  bool past = false;
};
std::optional<Time> parse_date(std::string_view text, Time now, DateOptions options = {});
// The position at which a text stops being a date.
std::size_t date_fault(std::string_view text, Time now, DateOptions options = {});

std::string format_date(Time t);  // "2026-11-16T00:45:00", "Unknown" if unset
std::string format_date(Time t, std::string_view strftime_format);

}  // namespace muster
