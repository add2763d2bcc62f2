// How lines of the log look, and those that go to the machine's own log.
#include "io/log_line.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <regex>

#include "io/log.h"
#include "net_fixture.h"

namespace muster::io {
namespace {

LogEntry entry() {
  return {.what = "job ended",
          .facts = {{"JobId", "7", true}, {"JobName", "a \"b\" \\"}, {"Reason", "x"}}};
}

std::string stamp(LogTime format) {
  return log_time(format, LogMoment(std::chrono::milliseconds(1'794'000'000'123)));
}

TEST(LogLine, TheTimeHasTheFormOfLogTimeFormat) {
  const std::string day = R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)", offset = R"([+-]\d\d:\d\d)";
  auto is = [](LogTime format, const std::string& shape) {
    return std::regex_match(stamp(format), std::regex(shape));
  };
  EXPECT_TRUE(is(LogTime::iso8601, day));
  EXPECT_TRUE(is(LogTime::iso8601_ms, day + R"(\.123)"));
  EXPECT_TRUE(is(LogTime::rfc5424, day + offset));
  EXPECT_TRUE(is(LogTime::rfc5424_ms, day + R"(\.123)" + offset));
  EXPECT_TRUE(is(LogTime::clock, R"(\d+)"));
  EXPECT_TRUE(is(LogTime::month_day, R"([A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d)"));
  EXPECT_TRUE(
      is(LogTime::thread_id, R"([A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d\.123000 \d+ \S+ +0x[0-9a-f]+)"))
      << stamp(LogTime::thread_id);
}

TEST(LogLine, TheLastKnownWordOfLogTimeFormatCounts) {
  EXPECT_EQ(parse_log_time(""), LogTime::iso8601_ms);
  EXPECT_EQ(parse_log_time("RFC5424,format_stderr"), LogTime::rfc5424);
  EXPECT_EQ(parse_log_time("short, clock"), LogTime::clock);
}

TEST(LogLine, AValueWithBlanksIsQuoted) {
  EXPECT_EQ(entry_text(entry()), R"(job ended: JobId=7 JobName="a \"b\" \\" Reason=x)");
  EXPECT_EQ(entry_text({.what = "x", .facts = {{"Name", ""}}}), "x: Name=\"\"");
}

TEST(LogLine, JsonHoldsNumbersAsNumbersAndTextAsText) {
  EXPECT_EQ(json_members(entry()),
            R"(,"event":"job ended","JobId":7,"JobName":"a \"b\" \\","Reason":"x")");
  EXPECT_EQ(json_message("a\tb\n\x7f"), ",\"message\":\"a\\u0009b\\u000a\\u007f\"");
}

TEST(LogLine, JsonIsUtf8WhateverTheNameIs) {
  EXPECT_EQ(json_message("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"),
            ",\"message\":\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\"");
  // Cut short, longer than need be, a surrogate, beyond Unicode, and a byte that never begins one.
  EXPECT_EQ(json_message("\xc3"), R"(,"message":"\ufffd")");
  EXPECT_EQ(json_message("\xc0\x80"), R"(,"message":"\ufffd\ufffd")");
  EXPECT_EQ(json_message("\xe0\x80\x80"), R"(,"message":"\ufffd\ufffd\ufffd")");
  EXPECT_EQ(json_message("\xed\xa0\x80"), R"(,"message":"\ufffd\ufffd\ufffd")");
  EXPECT_EQ(json_message("\xf4\x90\x80\x80"), R"(,"message":"\ufffd\ufffd\ufffd\ufffd")");
  EXPECT_EQ(json_message("\xff"
                         "a"),
            R"(,"message":"\ufffda")");
}

TEST(LogLine, WithoutAKeyTheMachinesLogGetsWhatWouldBeSeenNowhere) {
  const LogOptions to_file{.file = "/x", .file_level = LogLevel::debug};
  EXPECT_EQ(syslog_level("", to_file), LogLevel::fatal);
  EXPECT_EQ(syslog_level("verbose", to_file), LogLevel::verbose);
  EXPECT_EQ(syslog_level("", {.file_level = LogLevel::debug}), LogLevel::debug);
  EXPECT_EQ(syslog_level("", {.file_level = LogLevel::quiet}), LogLevel::fatal);
  EXPECT_EQ(syslog_level("", {.file_level = LogLevel::debug, .to_stderr = true}), LogLevel::quiet);
}

// What reads /dev/log.
class Reader {
 public:
  explicit Reader(const std::string& path) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~Reader() { ::close(fd_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  std::string next() const {
    char buffer[4096];
    const ssize_t size = ::recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
    return {buffer, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }

 private:
  int fd_ = ::socket(AF_UNIX, SOCK_DGRAM, 0);
};

std::string after_time(const std::string& line) { return line.substr(line.find(" test[") + 1); }

TEST(Syslog, GetsItsLevelAndWaitsForNobody) {
  TemporaryFolder folder;
  const std::string path = folder / "log";
  open_log({.program = "test", .syslog_level = LogLevel::info, .syslog_socket = path});
  log_error("nobody reads");
  auto reader = std::make_unique<Reader>(path);
  log_error("one\ntwo");
  log_debug("too much");
  const std::string line = reader->next(), pid = std::to_string(::getpid());
  EXPECT_TRUE(line.starts_with("<27>")) << line;
  EXPECT_EQ(after_time(line), "test[" + pid + "]: error: one\\ntwo");
  EXPECT_EQ(reader->next(), "");
  for (int i = 0; i < 10'000; ++i) log_info("more than it takes");
  reader.reset();
  log_info("nobody reads any more");
  std::filesystem::remove(path);
  const Reader next(path);
  log_info("a new reader");
  EXPECT_EQ(after_time(next.next()), "test[" + pid + "]: a new reader");
  open_log({.program = "test", .to_stderr = true, .stderr_level = LogLevel::error});
}

TEST(Log, LinesOfJsonSayTheLevel) {
  TemporaryFolder folder;
  open_log({.program = "test", .file = folder / "log", .style = {.json = true}});
  log_error("no {}", "disk");
  write_log(LogLevel::info, entry());
  const std::string text = read_file(folder / "log").value();
  EXPECT_TRUE(std::regex_match(
      text, std::regex(R"(\{"time":"[^"]*","level":"error","program":"test","message":"no disk"\}
\{"time":"[^"]*","level":"info","program":"test","event":"job ended","JobId":7,.*\}
)"))) << text;
  open_log({.program = "test", .to_stderr = true, .stderr_level = LogLevel::error});
}

}  // namespace
}  // namespace muster::io
