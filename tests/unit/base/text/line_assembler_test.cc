// Output of tasks is passed on in whole, labelled lines.
#include "base/text/line_assembler.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Lines, PassesOnWholeLinesAndKeepsTheRestUntilItIsEnded) {
  LineAssembler lines({.num_tasks = 2});
  EXPECT_EQ(lines.take(0, false, "a\nb"), "a\n");
  EXPECT_EQ(lines.take(1, false, "x\n"), "x\n");
  EXPECT_EQ(lines.take(0, false, "c\n"), "bc\n");
  EXPECT_EQ(lines.take(0, false, "end"), "");
  EXPECT_EQ(lines.finish(0, false), "end");
  EXPECT_EQ(lines.finish(0, false), "");
}

TEST(Lines, LabelsArePaddedToTheWidthOfTheLastRank) {
  LineAssembler lines({.label = true, .num_tasks = 12});
  EXPECT_EQ(lines.take(3, false, "a\n\nb\n"), " 3: a\n 3: \n 3: b\n");
  EXPECT_EQ(lines.take(11, true, "x\n"), "11: x\n");
}

TEST(Lines, ALabelledLineThatWasNeverEndedIsEnded) {
  LineAssembler lines({.label = true, .num_tasks = 2});
  EXPECT_EQ(lines.take(1, false, "b"), "");
  EXPECT_EQ(lines.finish(1, false), "1: b\n");
}

TEST(Lines, StreamsOfATaskDoNotMix) {
  LineAssembler lines({.num_tasks = 1});
  EXPECT_EQ(lines.take(0, false, "out"), "");
  EXPECT_EQ(lines.take(0, true, "err\n"), "err\n");
  EXPECT_EQ(lines.take(0, false, "put\n"), "output\n");
}

TEST(Lines, UnbufferedPassesEveryPieceOnAtOnce) {
  LineAssembler plain({.num_tasks = 1, .unbuffered = true});
  EXPECT_EQ(plain.take(0, false, "50%\r"), "50%\r");
  LineAssembler labelled({.label = true, .num_tasks = 1, .unbuffered = true});
  EXPECT_EQ(labelled.take(0, false, "a"), "0: a\n");
  EXPECT_EQ(labelled.take(0, false, "b\n"), "0: b\n");
}

TEST(Lines, AnEndlessLineIsPassedOnInPieces) {
  LineAssembler lines({.num_tasks = 1});
  EXPECT_EQ(lines.take(0, false, std::string(100'000, 'x')).size(), 100'000u);
}

}  // namespace
}  // namespace muster
