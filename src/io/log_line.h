// log_line: how a line of the log looks: LogTimeFormat's time stamps, text or JSON.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/log_entry.h"

namespace muster::io {

enum class LogTime : std::uint8_t {
  iso8601_ms,
  iso8601,
  rfc5424,
  rfc5424_ms,
  clock,
  month_day,
  thread_id
};

struct LogStyle {
  LogTime time = LogTime::iso8601_ms;
  bool json = false;
};

// LogTimeFormat: "iso8601_ms"; of several words the last that is known.
LogTime parse_log_time(std::string_view list);

using LogMoment = std::chrono::system_clock::time_point;

// "2026-11-16T00:45:00.123"
std::string log_time(LogTime format, LogMoment at);

// "job started: JobId=7 User=alice". A value with blanks is quoted.
std::string entry_text(const LogEntry& entry);

// One line, its end included. Control characters are escaped, so that text from a peer cannot forge
// a line.
std::string one_line(std::string_view text);

// A line of JSON, its end included. `rest` has further members, each with a comma before it.
std::string json_line(LogMoment at, std::string_view level, std::string_view program,
                      std::string_view rest);
std::string json_message(std::string_view text);  // ,"message":"..."
std::string json_members(const LogEntry& entry);  // ,"event":"job started","JobId":7

}  // namespace muster::io
