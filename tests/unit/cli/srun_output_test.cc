#include "cli/srun_output.h"

#include <gtest/gtest.h>

#include "cli/srun_files.h"

namespace muster::cli {
namespace {

TEST(SrunOutput, PassesOnWholeLinesAndKeepsTheRestUntilItIsEnded) {
  LineAssembler lines({.num_tasks = 2});
  EXPECT_EQ(lines.take(0, false, "a\nb"), "a\n");
  EXPECT_EQ(lines.take(1, false, "x\n"), "x\n");
  EXPECT_EQ(lines.take(0, false, "c\n"), "bc\n");
  EXPECT_EQ(lines.take(0, false, "end"), "");
  EXPECT_EQ(lines.finish(0, false), "end");
  EXPECT_EQ(lines.finish(0, false), "");
}

TEST(SrunOutput, LabelsArePaddedToTheWidthOfTheLastRank) {
  LineAssembler lines({.label = true, .num_tasks = 12});
  EXPECT_EQ(lines.take(3, false, "a\n\nb\n"), " 3: a\n 3: \n 3: b\n");
  EXPECT_EQ(lines.take(11, true, "x\n"), "11: x\n");
}

TEST(SrunOutput, ALabelledLineThatWasNeverEndedIsEnded) {
  LineAssembler lines({.label = true, .num_tasks = 2});
  EXPECT_EQ(lines.take(1, false, "b"), "");
  EXPECT_EQ(lines.finish(1, false), "1: b\n");
}

TEST(SrunOutput, StreamsOfATaskDoNotMix) {
  LineAssembler lines({.num_tasks = 1});
  EXPECT_EQ(lines.take(0, false, "out"), "");
  EXPECT_EQ(lines.take(0, true, "err\n"), "err\n");
  EXPECT_EQ(lines.take(0, false, "put\n"), "output\n");
}

TEST(SrunOutput, UnbufferedPassesEveryPieceOnAtOnce) {
  LineAssembler plain({.num_tasks = 1, .unbuffered = true});
  EXPECT_EQ(plain.take(0, false, "50%\r"), "50%\r");
  LineAssembler labelled({.label = true, .num_tasks = 1, .unbuffered = true});
  EXPECT_EQ(labelled.take(0, false, "a"), "0: a\n");
  EXPECT_EQ(labelled.take(0, false, "b\n"), "0: b\n");
}

TEST(SrunOutput, AnEndlessLineIsPassedOnInPieces) {
  LineAssembler lines({.num_tasks = 1});
  EXPECT_EQ(lines.take(0, false, std::string(100'000, 'x')).size(), 100'000u);
}

TEST(SrunFiles, TheOptionTellsWhoOpensTheFile) {
  using Kind = StreamTarget::Kind;
  EXPECT_EQ(stream_target("").kind, Kind::own);
  EXPECT_EQ(stream_target("all").kind, Kind::own);
  EXPECT_EQ(stream_target("none").kind, Kind::nothing);
  EXPECT_EQ(stream_target("3"), (StreamTarget{Kind::one_task, 3, {}}));
  EXPECT_EQ(stream_target("%j-step-%s.out").kind, Kind::file);
  EXPECT_EQ(stream_target("%j_%t.out").kind, Kind::nodes);
  EXPECT_EQ(stream_target("%3t").kind, Kind::nodes);
  EXPECT_EQ(stream_target("a%%t").kind, Kind::file);
}

TEST(SrunFiles, NamesAreExpandedWithPadding) {
  FileNameParts parts;
  parts.job = JobId{12};
  parts.step = StepId{3};
  parts.job_name = "train";
  parts.user_name = "ann";
  parts.host = "h1";
  EXPECT_EQ(expand_file_name("%x-%5j.%s.%J_%u@%N", parts), "train-00012.3.12.3_ann@h1");
  EXPECT_EQ(expand_file_name("%A_%a %% %t %q", parts), "12_4294967294 % %t %q");
  EXPECT_EQ(expand_file_name("\\%j", parts), "%j");
}

}  // namespace
}  // namespace muster::cli
