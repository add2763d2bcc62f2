// #SBATCH lines: where they may be, and how they are quoted.
#include <gtest/gtest.h>

#include "cli/options/directives.h"

namespace muster::cli {
namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view line) {
  auto words = split_directive(line, "s.sh: line 2");
  EXPECT_TRUE(words);
  return words.value_or(Words{});
}

std::string options_of(std::string_view script) {
  auto directives = read_directives(script, "s.sh");
  if (!directives)
    return std::to_string(directives.error().exit_code) + " " + directives.error().text;
  std::string out;
  for (const ParsedWords& component : directives->components) {
    if (&component != &directives->components.front()) out += ": ";
    for (const auto& [name, value] : component.options)
      out += std::string(name) + "=" + value + ";";
  }
  return out;
}

TEST(DirectiveLine, KeepsBlanksAndHashesInsideQuotes) {
  EXPECT_EQ(words_of(R"( --comment="a # b" -t 3)"), (Words{"--comment=a # b", "-t", "3"}));
  EXPECT_EQ(words_of(R"( --comment='a"b')"), Words{"--comment=a\"b"});
  EXPECT_EQ(words_of(R"( --comment="a b"c'd e')"), Words{"--comment=a bcd e"});
  EXPECT_EQ(words_of(R"( --comment="" -H)"), (Words{"--comment=", "-H"}));
}

TEST(DirectiveLine, TakesTheCharacterAfterABackslashAsItIs) {
  EXPECT_EQ(words_of(R"(--comment=a\#b)"), Words{"--comment=a#b"});
  EXPECT_EQ(words_of(R"(--comment="a\"b")"), Words{"--comment=a\"b"});
  EXPECT_EQ(words_of(R"(--comment='a\\b')"), Words{"--comment=a\\b"});
  EXPECT_EQ(words_of(R"(--comment=a\ -t 3)"), (Words{"--comment=a", "-t", "3"}));
  EXPECT_EQ(words_of(R"(-t 3 \)"), (Words{"-t", "3"}));
}

TEST(DirectiveLine, EndsAtAnUnquotedHash) {
  EXPECT_EQ(words_of("--gres=gpu:1  # one gpu"), Words{"--gres=gpu:1"});
  EXPECT_EQ(words_of("--time=3#x -n 2"), Words{"--time=3"});
}

TEST(DirectiveLine, RefusesAnOpenQuote) {
  auto words = split_directive(" --comment=\"open -t 3", "s.sh: line 2");
  ASSERT_FALSE(words);
  EXPECT_EQ(words.error().text,
            "sbatch: fatal: s.sh: line 2: Unmatched `\"` in [--comment=\"open -t 3]\n");
  EXPECT_EQ(words.error().exit_code, 1);
}

TEST(Directives, EndAtTheFirstCommand) {
  EXPECT_EQ(
      options_of(
          "#!/bin/bash\n# c\n\n#SBATCH -t 7 --mem=100\n\t\n#SBATCH -J x\ntrue\n#SBATCH -p q\n"),
      "time=7;mem=100;job-name=x;");
}

TEST(Directives, AreOnlyLinesThatBeginWithThem) {
  EXPECT_EQ(
      options_of("#!/bin/bash\n##SBATCH -t 9\n #SBATCH -t 8\n# SBATCH -t 7\n#sbatch -t 6\ntrue\n"),
      "");
  EXPECT_EQ(options_of("#!/bin/bash\n#SBATCH\t-t\t3\n#SBATCH-n2\n"), "time=3;ntasks=2;");
}

TEST(Directives, RefuseWordsThatAreNoOptions) {
  EXPECT_EQ(options_of("#!/bin/sh\n#SBATCH extra -t 3\n"),
            "255 sbatch: error: Invalid directive found in batch script: extra\n");
  EXPECT_EQ(
      options_of("#!/bin/sh\n#SBATCH --nonsense\n"),
      "255 sbatch: unrecognized option '--nonsense'\nTry \"sbatch --help\" for more information\n");
}

TEST(Directives, ALineWithHetjobStartsAnotherComponent) {
  EXPECT_EQ(options_of("#!/bin/sh\n#SBATCH -n1\n#SBATCH hetjob\n#SBATCH -n2 -t 3\n"),
            "ntasks=1;: ntasks=2;time=3;");
  EXPECT_EQ(options_of("#!/bin/sh\n#SBATCH packjob\n#SBATCH -n2\n"), ": ntasks=2;");
}

TEST(Directives, NoticeLinesOfOtherSystems) {
  EXPECT_TRUE(read_directives("#!/bin/sh\n#PBS -N x\ntrue\n", "s")->has_foreign_lines);
  EXPECT_FALSE(read_directives("#!/bin/sh\ntrue\n#PBS -N x\n", "s")->has_foreign_lines);
}

}  // namespace
}  // namespace muster::cli
