// The options of scancel.
#include <gtest/gtest.h>

#include "cli/scancel/options.h"

namespace muster::cli {
namespace {

using Words = std::vector<std::string>;

std::string error_of(const Words& words) {
  auto options = parse_cancel(words);
  return options ? "" : options.error().text;
}

TEST(Scancel, TakesIdsBeforeAndAfterOptions) {
  auto options = parse_cancel(Words{"12", "--signal", "SIGTERM", "13_[1,4]", "14,15_2", "16.0"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->signal, 15);
  ASSERT_EQ(options->jobs.size(), 5u);
  EXPECT_EQ(wire::job_ref_text(options->jobs[1]), "13_[1,4]");
  EXPECT_EQ(wire::job_ref_text(options->jobs[4]), "16.0");
}

TEST(Scancel, RefusesWhatIsNoJob) {
  EXPECT_EQ(error_of({}), "scancel: error: No job identification provided\n");
  EXPECT_EQ(error_of({"abc"}), "scancel: error: Invalid job id abc\n");
  EXPECT_EQ(error_of({"99999", "12a"}), "scancel: error: Invalid job id 12a\n");
  EXPECT_EQ(error_of({"1-3"}), "scancel: error: Invalid job id 1-3\n");
  EXPECT_EQ(error_of({"0"}), "scancel: error: Invalid job id 0\n");
}

TEST(Scancel, RefusesBadValuesInTheReferencesWords) {
  EXPECT_EQ(error_of({"-s", "FOO", "1"}), "Unknown job signal: FOO\n");
  EXPECT_EQ(error_of({"-s", "0", "1"}), "Unknown job signal: 0\n");
  EXPECT_EQ(
      error_of({"-t", "FOO"}),
      "Invalid job state specified: FOO\nValid job states are PENDING, RUNNING, and SUSPENDED\n");
  EXPECT_EQ(error_of({"-u", "no-such-user"}), "scancel: error: Invalid user name: no-such-user\n");
  EXPECT_EQ(
      error_of({"--nosuch"}),
      "scancel: unrecognized option '--nosuch'\nTry \"scancel --help\" for more information\n");
}

TEST(Scancel, TakesKillForEndingTheJob) {
  EXPECT_EQ(parse_cancel(Words{"-s", "KILL", "1"})->signal, 9);
  EXPECT_EQ(parse_cancel(Words{"-b", "-s", "KILL", "1"})->signal, 9);
}

TEST(Scancel, CollectsFilters) {
  auto options = parse_cancel(Words{"-n", "x", "-t", "PD", "-w", "n[1-2]", "-u", "root"});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->has_filter);
  EXPECT_EQ(options->filter.nodes.size(), 2u);
  EXPECT_EQ(options->filter.uids, std::vector{Uid{0}});
  EXPECT_EQ(options->filter_text, "job_name=x state=PENDING nodelist=n[1-2] user_name=root ");
}

}  // namespace
}  // namespace muster::cli
