// See log_line.h.
#include "io/log_line.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

#include "base/text/strings.h"

namespace muster::io {

namespace {

struct TimeName {
  std::string_view name;
  LogTime time;
};
constexpr std::array<TimeName, 8> kTimes{{{"iso8601_ms", LogTime::iso8601_ms},
                                          {"iso8601", LogTime::iso8601},
                                          {"rfc5424", LogTime::rfc5424},
                                          {"rfc5424_ms", LogTime::rfc5424_ms},
                                          {"rfc3339", LogTime::rfc5424},
                                          {"clock", LogTime::clock},
                                          {"short", LogTime::month_day},
                                          {"thread_id", LogTime::thread_id}}};

std::string offset_of(const tm& local) {
  const long minutes = std::abs(local.tm_gmtoff) / 60;
  return fmt::format("{}{:02}:{:02}", local.tm_gmtoff < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

std::string short_time(const tm& local) {
  char text[32];
  const std::size_t size = strftime(text, sizeof text, "%b %d %H:%M:%S", &local);
  return {text, size};
}

std::string thread_stamp(const tm& local, std::int64_t microseconds) {
  char name[16] = {};
  pthread_getname_np(pthread_self(), name, sizeof name);
  return fmt::format("{}.{:06} {} {:<12} {:#x}", short_time(local), microseconds, getpid(), name,
                     pthread_self());
}

// The length of the UTF-8 character at the start; 0 where there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xc2 && first < 0xe0 ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  if (first == 0xe0 && byte(1) < 0xa0) return 0;   // written longer than need be
  if (first == 0xed && byte(1) >= 0xa0) return 0;  // half of a surrogate pair
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) >= 0x90) return 0;  // beyond Unicode
  return length;
}

void append_json(std::string& to, std::string_view text) {
  to += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text.front();
    if (length == 0)
      to += "\\ufffd";
    else if (c == '"' || c == '\\')
      (to += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      fmt::format_to(std::back_inserter(to), "\\u{:04x}", static_cast<unsigned char>(c));
    else
      to += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  to += '"';
}

void append_member(std::string& to, std::string_view name, std::string_view value) {
  to += ',';
  append_json(to, name);
  to += ':';
  append_json(to, value);
}

bool is_word(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t\n\"") == std::string_view::npos;
}

}  // namespace

LogTime parse_log_time(std::string_view list) {
  LogTime time = LogTime::iso8601_ms;
  for (std::string_view word : split(list, ','))
    if (auto found = std::ranges::find_if(
            kTimes, [&](const TimeName& entry) { return iequals(entry.name, trim(word)); });
        found != kTimes.end())
      time = found->time;
  return time;
}

std::string log_time(LogTime format, LogMoment at) {
  if (format == LogTime::clock) return std::to_string(::clock());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
  const std::int64_t microseconds =
      std::chrono::floor<std::chrono::microseconds>(at - seconds).count();
  const time_t time = std::chrono::system_clock::to_time_t(seconds);
  tm local{};
  localtime_r(&time, &local);
  if (format == LogTime::month_day) return short_time(local);
  if (format == LogTime::thread_id) return thread_stamp(local, microseconds);
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", local.tm_year + 1900, local.tm_mon + 1,
                  local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec);
  if (format == LogTime::iso8601_ms || format == LogTime::rfc5424_ms)
    fmt::format_to(std::back_inserter(text), ".{:03}", microseconds / 1000);
  if (format == LogTime::rfc5424 || format == LogTime::rfc5424_ms) text += offset_of(local);
  return text;
}

std::string entry_text(const LogEntry& entry) {
  std::string text(entry.what);
  text += ':';
  for (const LogFact& fact : entry.facts) {
    ((text += ' ') += fact.name) += '=';
    if (is_word(fact.value)) {
      text += fact.value;
      continue;
    }
    text += '"';
    for (const char c : fact.value) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += '"';
  }
  return text;
}

std::string one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size() + 1);
  for (const char c : text) {
    if (c == '\n')
      line += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\t')
      fmt::format_to(std::back_inserter(line), "\\x{:02x}", static_cast<unsigned char>(c));
    else
      line += c;
  }
  return line += '\n';
}

std::string json_line(LogMoment at, std::string_view level, std::string_view program,
                      std::string_view rest) {
  return fmt::format("{{\"time\":\"{}\",\"level\":\"{}\",\"program\":\"{}\"{}}}\n",
                     log_time(LogTime::rfc5424_ms, at), level, program, rest);
}

std::string json_message(std::string_view text) {
  std::string members;
  append_member(members, "message", text);
  return members;
}

std::string json_members(const LogEntry& entry) {
  std::string members;
  append_member(members, "event", entry.what);
  for (const LogFact& fact : entry.facts) {
    if (!fact.is_number) {
      append_member(members, fact.name, fact.value);
      continue;
    }
    members += ',';
    append_json(members, fact.name);
    (members += ':') += fact.value;
  }
  return members;
}

}  // namespace muster::io
