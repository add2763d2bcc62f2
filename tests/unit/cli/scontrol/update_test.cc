// The words of scontrol update, and ids of jobs.
#include "cli/scontrol/update.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

std::expected<wire::UpdateRequest, UpdateRefusal> parse(std::vector<std::string> words) {
  return parse_update(words);
}
std::string refusal(std::vector<std::string> words) {
  auto parsed = parse_update(words);
  return parsed ? "none" : parsed.error();
}

TEST(ScontrolUpdate, KeysAreWrittenOutInFullAndTheRecordComesFirst) {
  auto request = parse({"TimeL=10", "job=12", "comment=a b"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->kind, wire::UpdateRequest::Kind::job);
  EXPECT_EQ(request->settings,
            (Settings{{"JobId", "12"}, {"TimeLimit", "10"}, {"Comment", "a b"}}));
}

TEST(ScontrolUpdate, NumbersOfAJobAreLookedAtHere) {
  EXPECT_EQ(refusal({"job=12", "ReqCores=x"}), "scontrol: error: Invalid ReqCores value: x");
  EXPECT_EQ(refusal({"job=12", "ReqProcs=x"}), "scontrol: error: Invalid NumTasks value: x");
  EXPECT_EQ(refusal({"job=12", "MinMemoryCPU=x"}),
            "scontrol: error: Invalid MinMemoryCPU value: x");
  EXPECT_EQ(refusal({"job=12", "Reboot=x"}), "scontrol: error: Invalid reboot value: x");
  EXPECT_EQ(refusal({"job=12", "ReqCores=2", "CoreSpec=-1", "Contiguous=y", "MinMemoryNode=1G"}),
            "none");
}

TEST(ScontrolUpdate, ResetAccrueTimeStandsAlone) {
  auto request = parse({"job=12", "ResetAccrueTime"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->settings, (Settings{{"JobId", "12"}, {"ResetAccrueTime", ""}}));
  EXPECT_TRUE(refusal({"job=12", "ResetAccrueTime=1"}).starts_with("Update of this parameter"));
  EXPECT_EQ(refusal({"job=12", "foo"}), "Invalid input: foo\nRequest aborted");
}

TEST(ScontrolUpdate, TheRecordMayBeNamedInTwoWords) {
  auto request = parse({"job", "12", "nice=5"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->settings, (Settings{{"JobId", "12"}, {"Nice", "5"}}));
}

TEST(ScontrolUpdate, AKeyOfAJobAndItsValueMayBeTwoWords) {
  auto request = parse({"job", "12", "timelimit", "9", "ResetAccrueTime", "comment", "x"});
  ASSERT_TRUE(request);
  EXPECT_EQ(
      request->settings,
      (Settings{{"JobId", "12"}, {"TimeLimit", "9"}, {"ResetAccrueTime", ""}, {"Comment", "x"}}));
  EXPECT_EQ(refusal({"job=12", "timelimit"}), "Invalid input: timelimit\nRequest aborted");
  EXPECT_EQ(refusal({"job=12", "nice", "5"}), "Invalid input: 5\nRequest aborted");
  EXPECT_TRUE(refusal({"node=n1", "weight", "5"}).starts_with("Update of this parameter"));
}

TEST(ScontrolUpdate, SiteFactorHasARange) {
  EXPECT_EQ(refusal({"job=12", "sitefactor=99999999999"}),
            "scontrol: error: SiteFactor value out of range (+/- 2147483645). Value ignored");
  EXPECT_EQ(refusal({"job=12", "sitefactor=-5"}), "none");
}

TEST(ScontrolUpdate, APartitionIsARecordOnlyWhereNoJobIsNamed) {
  auto job = parse({"partition=short", "jobid=3"});
  ASSERT_TRUE(job);
  EXPECT_EQ(job->settings, (Settings{{"JobId", "3"}, {"Partition", "short"}}));
  auto partition = parse({"partition=short", "state=down"});
  ASSERT_TRUE(partition);
  EXPECT_EQ(partition->kind, wire::UpdateRequest::Kind::partition);
}

TEST(ScontrolUpdate, UnknownKeysAreRefusedBeforeAnythingIsSent) {
  EXPECT_EQ(refusal({"jobid=1", "Bogus=1"}),
            "Update of this parameter is not supported: Bogus=1\nRequest aborted");
  EXPECT_EQ(refusal({"nodename=n1", "Bogus=1"}),
            "Update of this parameter is not supported: Bogus=1\nRequest aborted");
  EXPECT_EQ(refusal({"jobid=1"}), "No changes specified");
  EXPECT_EQ(refusal({"bogus=1"}).substr(0, 33), "No valid entity in update command");
  EXPECT_EQ(refusal({"jobid=1", "timelimit=abc"}), "scontrol: error: Invalid TimeLimit value");
  EXPECT_EQ(refusal({"jobid=1", "priority=x"}), "scontrol: error: Invalid Priority value: x");
  EXPECT_EQ(refusal({"jobid=1", "comment+=y"}),
            "scontrol: error: Option comment+=y does not accept [+|-]= syntax");
}

TEST(ScontrolUpdate, TimeLimitsMayGrowAndShrink) {
  auto request = parse({"jobid=1", "timelimit+=5"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->settings.back(), (std::pair<std::string, std::string>{"TimeLimit", "+5"}));
  EXPECT_TRUE(parse({"jobid=1", "timelimit=-5"}));
}

TEST(ScontrolUpdate, ANodeIsTakenOutWithAReasonOnly) {
  EXPECT_EQ(refusal({"nodename=n1", "state=drain"}),
            "You must specify a reason when DOWNING or DRAINING a node. Request denied");
  EXPECT_TRUE(parse({"nodename=n1", "state=drain", "reason=maint x"}));
  EXPECT_TRUE(parse({"nodename=n1", "state=resume"}));
  EXPECT_EQ(refusal({"nodename=n1", "state=bogus"}).substr(0, 26), "Invalid input: state=bogus");
}

TEST(ScontrolJobs, ListsAreSplitOutsideOfBrackets) {
  EXPECT_EQ(split_job_list("12_[1,3],14"), (std::vector<std::string>{"12_[1,3]", "14"}));
}

TEST(ScontrolJobs, ErrorsNameTheJobOrTheTasks) {
  Error error{ErrorCode::invalid_job_id, {}};
  EXPECT_EQ(job_error_line({JobId{9}, {}, {}}, error), "Invalid job id specified for job 9");
  EXPECT_EQ(job_error_line({JobId{9}, IdSet::range(1, 4), {}}, error),
            "9_1-4: Invalid job id specified");
}

}  // namespace
}  // namespace muster::cli
