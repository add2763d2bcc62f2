// Step files: records, locks and reuse.
#include "io/stepd/step_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "io/process/processes.h"
#include "io/store_fixture.h"

namespace muster::io {
namespace {

wire::StepEnd end_with(std::uint32_t status) {
  wire::StepEnd end;
  end.exit_status = status;
  return end;
}

ino_t inode(const std::string& path) {
  struct stat facts{};
  return stat(path.c_str(), &facts) == 0 ? facts.st_ino : 0;
}

struct StepFile : testing::Test {
  int create(const std::string& name) {
    auto fd = files.create(name);
    EXPECT_TRUE(fd) << fd.error().text();
    return fd.value_or(-1);
  }
  TempDir dir;
  StepFiles files{dir.path()};
  std::string path = dir.path() + "/7.1.0";
};

TEST_F(StepFile, NamesItsStep) {
  const wire::StepRef batch{JobId{12}, Attempt{3}, kBatchStep},
      numbered{JobId{12}, Attempt{3}, StepId{4}};
  EXPECT_EQ(step_file_name(batch), "12.3.batch");
  EXPECT_EQ(parse_step_file_name("12.3.batch"), batch);
  EXPECT_EQ(parse_step_file_name(step_file_name(numbered)), numbered);
  for (const char* other : {"unused.3", "12.3.batch.socket", "12.3", "12.x.0"})
    EXPECT_FALSE(parse_step_file_name(other)) << other;
}

TEST_F(StepFile, IsAliveWhileItsLockIsHeld) {
  const int fd = create("7.1.0");
  EXPECT_TRUE(is_step_alive(path));
  EXPECT_FALSE(files.create("7.1.0"));
  close(fd);
  EXPECT_FALSE(is_step_alive(path));
}

TEST_F(StepFile, TellsTheLastNoteAndTheEnd) {
  const int fd = create("7.1.0");
  EXPECT_FALSE(read_step_note(path));
  ASSERT_TRUE(write_step_note(
      fd, {.pid = 10, .boot_id = "b", .sessions = {}, .started = {}, .groups = {}}));
  ASSERT_TRUE(write_step_note(
      fd, {.pid = 10, .boot_id = "b", .sessions = {11, 12}, .started = {}, .groups = {}}));
  EXPECT_FALSE(read_step_end(path));
  ASSERT_TRUE(write_step_end(fd, end_with(256)));
  close(fd);
  EXPECT_EQ(read_step_note(path)->sessions, (std::set<std::uint32_t>{11, 12}));
  EXPECT_EQ(read_step_end(path)->exit_status, 256u);
}

TEST_F(StepFile, HasNoEndWhereItsRecordWasCutShort) {
  close(create("7.1.0"));
  ASSERT_TRUE(write_step_end(path, end_with(9)));
  const auto whole = std::filesystem::file_size(path);
  for (auto size = whole - 1; size > 0; --size) {
    std::filesystem::resize_file(path, size);
    EXPECT_FALSE(read_step_end(path)) << size << " of " << whole;
  }
}

TEST_F(StepFile, IsUsedAgainEmpty) {
  close(create("7.1.0"));
  ASSERT_TRUE(write_step_end(path, end_with(9)));
  std::ofstream(path + ".socket") << "";
  const ino_t before = inode(path);
  files.forget("7.1.0");
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(path + ".socket"));
  EXPECT_TRUE(list_step_files(dir.path()).empty());
  close(create("8.1.0"));
  EXPECT_EQ(inode(dir.path() + "/8.1.0"), before);
  EXPECT_FALSE(read_step_end(dir.path() + "/8.1.0"));
}

TEST_F(StepFile, IsNotUsedAgainWhileItsStepLives) {
  const int fd = create("7.1.0");
  files.forget("7.1.0");
  const int other = create("8.1.0");
  ASSERT_TRUE(write_step_end(fd, end_with(9)));
  EXPECT_FALSE(read_step_end(dir.path() + "/8.1.0"));
  close(fd);
  close(other);
}

TEST_F(StepFile, NeverTakesAnotherStepsName) {
  close(create("7.1.0"));
  close(create("8.1.0"));
  ASSERT_TRUE(write_step_end(dir.path() + "/8.1.0", end_with(9)));
  files.forget("7.1.0");
  close(create("8.1.0"));
  EXPECT_TRUE(read_step_end(dir.path() + "/8.1.0"));
}

TEST_F(StepFile, LeavesNothingOfAnEarlierStart) {
  close(create("7.1.0"));
  files.forget("7.1.0");
  StepFiles(dir.path()).remove_unused();
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST_F(StepFile, OnlyTheSessionsOfTheStepAreItsOwn) {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    pause();
    _exit(0);
  }
  ASSERT_GT(child, 0);
  const auto number = static_cast<std::uint32_t>(child);
  auto leader = [&] { return read_process(child); };
  while (leader()->session != child) usleep(1000);
  StepNote note;
  note.sessions = {number};
  note.uid = Uid{getuid()};
  note.leaders[number] = leader()->started_ticks;
  EXPECT_EQ(session_members(note), std::vector<pid_t>{child});
  note.leaders[number] += 1;
  EXPECT_TRUE(session_members(note).empty()) << "another process has that number now";
  note.leaders.clear();
  note.uid = Uid{getuid() + 1};
  EXPECT_TRUE(session_members(note).empty()) << "another user's";
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace muster::io
