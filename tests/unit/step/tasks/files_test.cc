// Where the standard streams of tasks lead.
#include "step/tasks/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>

#include "io/files.h"
#include "io/net_fixture.h"

namespace muster::step {
namespace {

struct Place {
  explicit Place(StepId step = StepId{0}) {
    setup.launch.ref = {JobId{7}, Attempt{1}, step};
    setup.launch.ranks = {0, 1};
    setup.launch.task.work_dir = folder / "";
  }
  Result<TaskFiles> open(std::uint32_t rank) { return files().open_for(rank); }
  Files& files() {
    if (!files_) files_.emplace(setup, work_dir_exists);
    return *files_;
  }
  std::string content(const std::string& name) {
    return io::read_file(folder / name).value_or("?");
  }

  io::TemporaryFolder folder;
  StepSetup setup;
  bool work_dir_exists = true;

 private:
  std::optional<Files> files_;
};

void print(int fd, const std::string& text) {
  EXPECT_EQ(write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

TEST(Files, AStepWithoutNamesHasPipesToItsSrun) {
  Place place;
  auto files = place.open(0);
  ASSERT_TRUE(files);
  EXPECT_EQ(files->in, kToClient);
  EXPECT_EQ(files->out, kToClient);
  EXPECT_EQ(files->err, kToClient);
}

TEST(Files, TasksThatNameTheSameFileShareItsDescriptor) {
  Place place;
  place.setup.launch.task.std_out = place.folder / "out";
  auto first = place.open(0), second = place.open(1);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->out, second->out);
  EXPECT_EQ(first->err, first->out) << "standard error follows";
  print(first->out, "a");
  print(second->out, "b");
  EXPECT_EQ(place.content("out"), "ab");
}

TEST(Files, EachTaskMayHaveAFileOfItsOwn) {
  Place place;
  place.setup.launch.task.std_out = place.folder / "out.%t";
  auto first = place.open(0), second = place.open(1);
  ASSERT_TRUE(first && second);
  print(first->out, "a");
  print(second->out, "b");
  EXPECT_EQ(place.content("out.0") + place.content("out.1"), "ab");
}

TEST(Files, OutputReplacesAFileUnlessItIsToBeAppended) {
  for (const bool appends : {false, true}) {
    Place place;
    ASSERT_TRUE(io::write_file_atomic(place.folder / "out", "old ", 0600));
    place.setup.launch.task.std_out = place.folder / "out";
    if (appends) place.setup.launch.task.open_mode = OpenMode::append;
    auto files = place.open(0);
    ASSERT_TRUE(files);
    print(files->out, "new");
    EXPECT_EQ(place.content("out"), appends ? "old new" : "new");
  }
}

TEST(Files, MissingDirectoriesAreMade) {
  Place place;
  place.setup.launch.task.std_out = place.folder / "a/b/out";
  EXPECT_TRUE(place.open(0));
  EXPECT_EQ(place.content("a/b/out"), "");
}

TEST(Files, ARankIsTheOneTaskThatIsConnected) {
  Place place;
  place.setup.launch.task.std_out = "1";
  auto first = place.open(0), second = place.open(1);
  ASSERT_TRUE(first && second);
  EXPECT_GE(first->out, 0) << "/dev/null";
  EXPECT_EQ(second->out, kToClient);
}

TEST(Files, ARelativeNameNeedsTheWorkingDirectory) {
  Place place;
  place.work_dir_exists = false;
  place.setup.launch.task.std_out = "out";
  auto files = place.open(0);
  ASSERT_FALSE(files);
  EXPECT_TRUE(files.error().text().ends_with("/out: No such file or directory"))
      << files.error().text();
}

TEST(Files, AMissingInputFileIsAnError) {
  Place place;
  place.setup.launch.task.std_in = place.folder / "none";
  auto files = place.open(0);
  ASSERT_FALSE(files);
  EXPECT_TRUE(files.error().text().starts_with("Could not open stdin file"))
      << files.error().text();
}

TEST(Files, AFifoIsLeftToTheTaskWhichMayWait) {
  Place place;
  ASSERT_EQ(mkfifo((place.folder / "fifo").c_str(), 0600), 0);
  place.setup.launch.task.std_out = place.folder / "fifo";
  auto files = place.open(0);
  ASSERT_TRUE(files);
  EXPECT_EQ(files->out, kOpenedByTask);
  EXPECT_EQ(files->out_path, place.folder / "fifo");
}

TEST(Files, ABatchScriptHasTheDefaultNames) {
  Place place(kBatchStep);
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(place.folder / "");
  auto files = place.open(0);
  std::filesystem::current_path(before);
  ASSERT_TRUE(files);
  EXPECT_GE(files->in, 0) << "/dev/null";
  EXPECT_EQ(place.content("slurm-7.out"), "");
}

TEST(ErrorFile, TakesALineWithoutWaitingForAReader) {
  Place place;
  ASSERT_EQ(mkfifo((place.folder / "fifo").c_str(), 0600), 0);
  TaskFiles files{.err = kOpenedByTask, .err_path = place.folder / "fifo"};
  ErrorFile(files).write_line(place.setup, "nobody reads this");  // returns at once
  const int reader = open((place.folder / "fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ErrorFile(files).write_line(place.setup, "somebody reads this");
  char buffer[64];
  const ssize_t count = read(reader, buffer, sizeof buffer);
  close(reader);
  ASSERT_GT(count, 0);
  EXPECT_EQ(std::string(buffer, static_cast<std::size_t>(count)), "somebody reads this\n");
}

}  // namespace
}  // namespace muster::step
