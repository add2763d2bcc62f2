// The file of srun --multi-prog.
#include "cli/srun/multi_prog.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

using Argv = std::vector<std::string>;

TEST(MultiProg, RanksRangesAndTheRestGetTheirPrograms) {
  auto programs = parse_multi_prog(
      "# comment\n0    echo first %t\n\n1-2  echo range t=%t o=%o\n*    echo rest t=%t o=%o\n",
      "m.conf", 5);
  ASSERT_TRUE(programs);
  EXPECT_EQ(programs->at(0), (Argv{"echo", "first", "0"}));
  EXPECT_EQ(programs->at(1), (Argv{"echo", "range", "t=1", "o=0"}));
  EXPECT_EQ(programs->at(2), (Argv{"echo", "range", "t=2", "o=1"}));
  EXPECT_EQ(programs->at(4), (Argv{"echo", "rest", "t=4", "o=4"}));
}

TEST(MultiProg, OffsetsRunThroughAListOfRanges) {
  auto programs = parse_multi_prog("0,2-3 run %o\n1 other", "m.conf", 4);
  ASSERT_TRUE(programs);
  EXPECT_EQ(programs->at(0), (Argv{"run", "0"}));
  EXPECT_EQ(programs->at(3), (Argv{"run", "2"}));
}

TEST(MultiProg, QuotesAndContinuedLinesKeepWordsTogether) {
  auto programs = parse_multi_prog("0 sh -c 'echo  a' \\\n  last\n", "m.conf", 1);
  ASSERT_TRUE(programs);
  EXPECT_EQ(programs->at(0), (Argv{"sh", "-c", "echo  a", "last"}));
}

TEST(MultiProg, FaultsAreNamedWithTheirLine) {
  auto error = [](std::string_view text, std::uint32_t tasks) {
    auto programs = parse_multi_prog(text, "f", tasks);
    return programs ? std::string("none") : programs.error();
  };
  EXPECT_EQ(error("0 echo a", 2), "Configuration file f invalid, no record for task id 1");
  EXPECT_EQ(error("", 1), "Configuration file f invalid, no record for task id 0");
  EXPECT_EQ(error("x echo a", 2),
            "Invalid task range specification (x)\nLine 1 of configuration file f invalid");
  EXPECT_EQ(error("5-3 echo a", 2),
            "Invalid task range, 5-3\nLine 1 of configuration file f invalid");
  EXPECT_EQ(error("0-5 echo a", 2),
            "Invalid task id, 5 >= ntasks\nLine 1 of configuration file f invalid");
  EXPECT_EQ(error("0 echo a\n0-1 echo b", 2),
            "Duplicate record for task 0\nLine 2 of configuration file f invalid");
  EXPECT_EQ(error("0\n1 echo b", 2), "Line 1 of configuration file f invalid");
}

}  // namespace
}  // namespace muster::cli
