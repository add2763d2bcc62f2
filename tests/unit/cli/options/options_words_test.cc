// Splitting command lines as getopt_long does, with its messages.
#include <gtest/gtest.h>

#include "cli/options/options.h"

namespace muster::cli {
namespace {

using Words = std::vector<std::string>;

std::string error_of(Client client, const Words& words) {
  auto parsed = parse_words(client, words);
  return parsed ? "" : parsed.error().text;
}

TEST(Words, StopAtTheScript) {
  auto parsed = parse_words(Client::sbatch, Words{"-t", "5", "--mem=10", "job.sh", "-n", "4"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->rest, (Words{"job.sh", "-n", "4"}));
  EXPECT_EQ(parsed->options.size(), 2u);
  EXPECT_EQ(parsed->options[0].first, "time");
  EXPECT_EQ(parsed->options[1].second, "10");
}

TEST(Words, TakeBundledLettersAndAttachedValues) {
  auto parsed = parse_words(Client::sbatch, Words{"-HvN2", "-n4", "a"});
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->options.size(), 4u);
  EXPECT_EQ(parsed->options[2].second, "2");
  EXPECT_EQ(parsed->options[3].second, "4");
}

TEST(Words, TakeAnOptionalValueOnlyWithAnEqualsSign) {
  auto parsed = parse_words(Client::sbatch, Words{"--nice", "5"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->options[0].second, "");
  EXPECT_EQ(parsed->rest, Words{"5"});
}

TEST(Words, AcceptUnambiguousAbbreviations) {
  auto parsed = parse_words(Client::sbatch, Words{"--part=batch"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->options[0].first, "partition");
}

TEST(Words, KeepSlurmsAbbreviationsWhereWeHaveAnOptionThatBeginsLikeIt) {
  for (const auto& [word, name] :
       std::initializer_list<std::pair<const char*, const char*>>{{"--ch=/", "chdir"},
                                                                  {"--chu=6h", "chunk"},
                                                                  {"--noti=60", "notice"},
                                                                  {"--requ", "requeue"}}) {
    auto parsed = parse_words(Client::sbatch, Words{word});
    ASSERT_TRUE(parsed) << word;
    EXPECT_EQ(parsed->options[0].first, name);
  }
}

TEST(Words, PreferAnExactNameToAnAbbreviation) {
  auto parsed = parse_words(Client::sbatch, Words{"--mem=5"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->options[0].first, "mem");
}

TEST(Words, AreRefusedInGetoptsWords) {
  constexpr const char* kTry = "Try \"sbatch --help\" for more information\n";
  EXPECT_EQ(error_of(Client::sbatch, {"--nosuch"}),
            std::string("sbatch: unrecognized option '--nosuch'\n") + kTry);
  EXPECT_EQ(
      error_of(Client::sbatch, {"--no"}),
      std::string("sbatch: option '--no' is ambiguous; possibilities: '--no-kill' '--no-requeue' "
                  "'--nodefile' '--nodelist' '--nodes'\n") +
          kTry);
  EXPECT_EQ(error_of(Client::sbatch, {"--time"}),
            std::string("sbatch: option '--time' requires an argument\n") + kTry);
  EXPECT_EQ(error_of(Client::sbatch, {"--hold=3"}),
            std::string("sbatch: option '--hold' doesn't allow an argument\n") + kTry);
  EXPECT_EQ(error_of(Client::sbatch, {"-Y"}),
            std::string("sbatch: invalid option -- 'Y'\n") + kTry);
  EXPECT_EQ(error_of(Client::sbatch, {"-t"}),
            std::string("sbatch: option requires an argument -- 't'\n") + kTry);
  EXPECT_EQ(parse_words(Client::sbatch, Words{"--nosuch"}).error().exit_code, 255);
}

TEST(Words, BelongToTheirCommand) {
  EXPECT_NE(error_of(Client::srun, {"--wrap=x", "true"}), "");
  EXPECT_NE(error_of(Client::sbatch, {"--label"}), "");
  EXPECT_EQ(error_of(Client::srun, {"-W", "5", "true"}), "");
}

}  // namespace
}  // namespace muster::cli
