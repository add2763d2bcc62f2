// Programs of the site: their environment, time limit and result.
#include "io/process/program.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace muster::io {
namespace {

class Program : public testing::Test {
 protected:
  Program() {
    char pattern[] = "/tmp/muster_program.XXXXXX";
    dir_ = mkdtemp(pattern);
  }
  ~Program() override { std::filesystem::remove_all(dir_); }
  std::string write(const std::string& name, const std::string& body) {
    const std::string path = dir_ + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    chmod(path.c_str(), 0755);
    return path;
  }
  std::string dir_;
};

TEST_F(Program, GetsItsVariablesAndNoOthers) {
  setenv("MUSTER_TEST_LEAK", "1", 1);
  EXPECT_TRUE(run_program({.path = write("p", "[ \"$A\" = 1 ] && [ -z \"$MUSTER_TEST_LEAK\" ]"),
                           .environment = {"A=1"}})
                  .succeeded);
}

TEST_F(Program, AFailureCarriesItsStatusAndOutput) {
  const std::string path = write("p", "echo why; exit 3");
  ProgramEnd end = run_program({.path = path, .environment = {}});
  EXPECT_FALSE(end.succeeded);
  EXPECT_EQ(end.failure, path + ": exit status 3:0");
  EXPECT_EQ(end.output, "why");
}

TEST_F(Program, OneThatTakesTooLongIsKilledWithItsChildren) {
  ProgramEnd end = run_program(
      {.path = write("p", "sleep 1000 & sleep 1000"), .environment = {}, .timeout = Seconds{1}});
  EXPECT_FALSE(end.succeeded);
  EXPECT_NE(end.failure.find("not over after 1 seconds"), std::string::npos);
}

TEST_F(Program, APatternRunsAllInOrderUpToTheFirstFailure) {
  write("1.run", "echo 1 >> " + dir_ + "/log");
  write("2.run", "echo 2 >> " + dir_ + "/log; exit 1");
  write("3.run", "echo 3 >> " + dir_ + "/log");
  EXPECT_FALSE(run_program({.path = dir_ + "/*.run", .environment = {}}).succeeded);
  std::ifstream log(dir_ + "/log");
  std::string text((std::istreambuf_iterator<char>(log)), {});
  EXPECT_EQ(text, "1\n2\n");
}

TEST_F(Program, AMissingProgramIsAFailure) {
  EXPECT_FALSE(run_program({.path = dir_ + "/none", .environment = {}}).succeeded);
}

}  // namespace
}  // namespace muster::io
