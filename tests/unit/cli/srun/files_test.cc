// Which stream an option of srun means.
#include "cli/srun/files.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

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
