// By the C library's idea of local time.
#include "base/text/calendar.h"

#include <ctime>

namespace muster {

namespace {

std::tm calendar_parts(Time t) {
  const std::time_t seconds = unix_seconds(t);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  parts.tm_sec = 0;
  return parts;
}

Time begin_of(std::tm parts) {
  parts.tm_hour = parts.tm_min = parts.tm_sec = 0;
  parts.tm_isdst = -1;
  return from_unix_seconds(std::mktime(&parts));
}

}  // namespace

// Not by mktime: an hour that comes twice in autumn is two hours.
Time begin_of_hour(Time t) {
  const std::time_t seconds = unix_seconds(t);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  return from_unix_seconds(seconds - parts.tm_min * 60 - parts.tm_sec);
}

Time begin_of_day(Time t) { return begin_of(calendar_parts(t)); }

Time begin_of_month(Time t) {
  std::tm parts = calendar_parts(t);
  parts.tm_mday = 1;
  return begin_of(parts);
}

Time next_day(Time t) {
  std::tm parts = calendar_parts(t);
  ++parts.tm_mday;
  return begin_of(parts);
}

Time next_month(Time t) {
  std::tm parts = calendar_parts(t);
  parts.tm_mday = 1;
  ++parts.tm_mon;
  return begin_of(parts);
}

}  // namespace muster
