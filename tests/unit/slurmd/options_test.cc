// slurmd's command line.
#include "slurmd/options.h"

#include <getopt.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace muster {
namespace {

Result<SlurmdOptions> parse(std::vector<std::string> words) {
  words.insert(words.begin(), "slurmd");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  optind = 0;  // parse from the beginning again
  opterr = 0;
  return parse_slurmd_options(static_cast<int>(words.size()), argv.data());
}

std::string error_of(std::vector<std::string> words) {
  auto options = parse(std::move(words));
  return options ? "" : options.error().text();
}

TEST(SlurmdOptions, SayWhichNodeItIsAndHowItRuns) {
  auto options = parse({"-D", "-N", "n1", "-f", "/etc/x.conf", "-vv", "-n", "-5"});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->foreground);
  EXPECT_EQ(options->node_name, "n1");
  EXPECT_EQ(options->config_file, "/etc/x.conf");
  EXPECT_EQ(options->verbosity, 2);
  EXPECT_EQ(options->nice, -5);
}

TEST(SlurmdOptions, TakeAFeatureOfFutureNodesOnlyTogetherWithTheLetter) {
  EXPECT_EQ(parse({"-Fgpu"})->future_feature, "gpu");
  EXPECT_EQ(parse({"-F"})->future_feature, "");
  EXPECT_EQ(error_of({"-F", "gpu"}), "unexpected argument gpu");
}

TEST(SlurmdOptions, RefuseWhatDoesNotGoTogether) {
  EXPECT_EQ(error_of({"--conf", "CPUs=4"}), "--conf needs -Z");
  EXPECT_EQ(error_of({"-F", "-Z"}), "-F takes neither -N nor -Z");
  EXPECT_EQ(error_of({"-F", "-N", "n1"}), "-F takes neither -N nor -Z");
  EXPECT_EQ(error_of({"-n", "much"}), "-n: expected a number");
  EXPECT_EQ(error_of({"-x"}), "try slurmd -h");
  EXPECT_EQ(error_of({"n1"}), "unexpected argument n1");
}

}  // namespace
}  // namespace muster
