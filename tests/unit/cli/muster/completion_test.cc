// What kind of word is being typed.
#include "cli/muster/completion.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

Wanted wanted(std::vector<std::string> words) {
  const std::size_t last = words.size() - 1;
  return wanted_word(words, last);
}

TEST(Completion, KnowsOptionsAndTheirValues) {
  EXPECT_EQ(wanted({"sbatch", "--par"}).kind, WordKind::option);
  EXPECT_EQ(wanted({"/usr/bin/sbatch", "-p", ""}).kind, WordKind::partition);
  EXPECT_EQ(wanted({"squeue", "-w", "n"}).kind, WordKind::node);
  EXPECT_EQ(wanted({"sbatch", "-N", "2"}).kind, WordKind::other);      // a number of nodes
  EXPECT_EQ(wanted({"sbatch", "--hold", "x"}).kind, WordKind::other);  // has no value
  EXPECT_EQ(wanted({"sacct", "-j", ""}).kind, WordKind::job);
}

TEST(Completion, UnderstandsShellsThatSplitWordsAtEqualSigns) {
  for (const auto& words : {std::vector<std::string>{"sbatch", "--partition", "=", "ma"},
                            std::vector<std::string>{"sbatch", "--partition=ma"}}) {
    const Wanted found = wanted(words);
    EXPECT_EQ(found.kind, WordKind::partition);
    EXPECT_EQ(found.begun, "ma");
  }
  EXPECT_EQ(wanted({"sbatch", "--partition", "="}).begun, "");
}

TEST(Completion, CompletesTheLastNameOfAList) {
  const Wanted found = wanted({"sbatch", "--partition=a,b,ma"});
  EXPECT_EQ(found.kept, "--partition=a,b,");
  EXPECT_EQ(found.begun, "ma");
}

TEST(Completion, KnowsCommandsThatTakeJobs) {
  EXPECT_EQ(wanted({"scancel", ""}).kind, WordKind::job);
  EXPECT_EQ(wanted({"muster", "explain", ""}).kind, WordKind::job);
  EXPECT_EQ(wanted({"scontrol", "hold", ""}).kind, WordKind::job);
  EXPECT_EQ(wanted({"scontrol", "show", "partition", ""}).kind, WordKind::partition);
  EXPECT_EQ(wanted({"sbatch", "jo"}).kind, WordKind::other);  // a file
}

TEST(Completion, BearsAnyWords) {
  EXPECT_EQ(wanted_word({}, 0).kind, WordKind::other);
  EXPECT_EQ(wanted_word({"scancel"}, 7).kind, WordKind::other);
  EXPECT_EQ(wanted({"scancel", "=", "="}).kind, WordKind::job);
  EXPECT_EQ(wanted({"nosuch", "--x=", "-"}).kind, WordKind::option);
  EXPECT_TRUE(candidates_for(wanted({"nosuch", "-"})).empty());
}

}  // namespace
}  // namespace muster::cli
