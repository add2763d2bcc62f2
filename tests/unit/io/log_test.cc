// The daemons' log lines.
#include <unistd.h>

#include <regex>

#include "io/log_limit.h"
#include "net_fixture.h"

namespace muster::io {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string without_time(const std::string& line) { return line.substr(line.find(']') + 2); }

TEST(Log, ALineHasTheTimeTheLevelAndTheText) {
  CapturedLog log(LogLevel::debug2);
  log_info("job {} started", 7);
  log_error("no {}", "disk");
  log_debug("d");
  log_debug2("d2");
  write_log(LogLevel::fatal, "f");
  log_verbose("v");
  const auto lines = lines_of(log.text());
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_TRUE(std::regex_match(
      lines[0], std::regex(R"(\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\] job 7 started)")))
      << lines[0];
  EXPECT_EQ(without_time(lines[1]), "error: no disk");
  EXPECT_EQ(without_time(lines[2]), "debug: d");
  EXPECT_EQ(without_time(lines[3]), "debug2: d2");
  EXPECT_EQ(without_time(lines[4]), "fatal: f");
  EXPECT_EQ(without_time(lines[5]), "v");
}

TEST(Log, TheLevelDecidesAndCanBeChanged) {
  CapturedLog log(LogLevel::info);
  log_debug("hidden");
  set_log_level(LogLevel::debug);
  log_debug("shown");
  set_log_level(LogLevel::quiet);
  log_error("silenced");
  set_log_level(LogLevel::info);
  log_info("back");
  const auto lines = lines_of(log.text());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(without_time(lines[0]), "debug: shown");
  EXPECT_EQ(without_time(lines[1]), "back");
}

TEST(Log, TextFromAPeerCannotForgeALine) {
  CapturedLog log;
  log_error("name \"{}\"", "x\n[2026-01-01T00:00:00.000] all is well\x1b[2J");
  const auto lines = lines_of(log.text());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("x\\n[2026"), std::string::npos);
  EXPECT_EQ(lines[0].find('\x1b'), std::string::npos);
}

TEST(Log, GoesToANewFileAfterRotation) {
  TemporaryFolder folder;
  open_log({.program = "test", .file = folder / "log"});
  log_info("before");
  std::filesystem::rename(folder / "log", folder / "log.1");
  log_info("still the old one");
  reopen_log();
  log_info("after");
  EXPECT_EQ(lines_of(read_file(folder / "log.1").value()).size(), 2u);
  EXPECT_EQ(lines_of(read_file(folder / "log").value()).size(), 1u);
  open_log({.program = "test", .file = "", .to_stderr = true, .stderr_level = LogLevel::error});
}

TEST(Log, LinesOfManyThreadsDoNotMix) {
  CapturedLog log;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 500; ++i) log_error("{}", std::string(200, 'z'));
    });
  for (std::thread& thread : threads) thread.join();
  const auto lines = lines_of(log.text());
  EXPECT_EQ(lines.size(), 4000u);
  for (const std::string& line : lines)
    ASSERT_EQ(without_time(line), "error: " + std::string(200, 'z'));
}

TEST(Log, OnStderrALineBeginsWithTheProgram) {
  testing::internal::CaptureStderr();
  open_log(
      {.program = "slurmctld", .file = "", .to_stderr = true, .stderr_level = LogLevel::debug});
  log_error("bad");
  log_info("good");
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(text, "slurmctld: error: bad\nslurmctld: good\n");
  open_log({.program = "test", .file = "", .to_stderr = true, .stderr_level = LogLevel::error});
}

TEST(Log, LevelsHaveNamesAndNumbers) {
  LogLevel level = LogLevel::quiet;
  EXPECT_TRUE(parse_log_level("DEBUG3", level));
  EXPECT_EQ(level, LogLevel::debug3);
  EXPECT_TRUE(parse_log_level("3", level));
  EXPECT_EQ(level, LogLevel::info);
  EXPECT_FALSE(parse_log_level("10", level));
  EXPECT_FALSE(parse_log_level("loud", level));
  EXPECT_EQ(log_level_name(LogLevel::verbose), "verbose");
}

TEST(LogLimit, CountsWhatItLeavesOut) {
  CapturedLog log;
  LogLimit limit(3, Millis{50});
  for (int i = 0; i < 10; ++i) limit.write(LogLevel::error, "rubbish");
  EXPECT_LE(lines_of(log.text()).size(), 3u + 3u);
  EXPECT_TRUE(eventually([&] {
    limit.write(LogLevel::error, "rubbish");
    return log.text().find("more lines like the next one were left out") != std::string::npos;
  }));
}

TEST(Log, IsNotWrittenThroughALink) {
  TemporaryFolder folder;
  const std::string target = folder / "target", link = folder / "link";
  ASSERT_TRUE(write_file_atomic(target, "mine", 0600));
  ASSERT_EQ(::symlink(target.c_str(), link.c_str()), 0);
  testing::internal::CaptureStderr();
  open_log({.program = "test", .file = link, .file_level = LogLevel::info});
  log_error("a line");
  open_log({.program = "test", .file = "", .to_stderr = true, .stderr_level = LogLevel::error});
  const std::string complaint = testing::internal::GetCapturedStderr();
  EXPECT_EQ(read_file(target), "mine");
  EXPECT_NE(complaint.find("cannot open the log file " + link), std::string::npos) << complaint;
}

}  // namespace
}  // namespace muster::io
