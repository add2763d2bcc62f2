// Expressions of features.
#include "model/job/constraint.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using namespace std::string_literals;

Constraint constraint(std::string_view text) { return parse_constraint(text).value(); }

TEST(Constraint, EachNodeHasTermsJoinedFromLeftToRight) {
  const Constraint c = constraint("a|b&(c | d)");
  ASSERT_EQ(c.each.size(), 3u);
  EXPECT_FALSE(c.each[0].alternative);
  EXPECT_TRUE(c.each[1].alternative);
  EXPECT_EQ(c.each[1].name, "b");
  ASSERT_EQ(c.each[2].group.size(), 2u);
  EXPECT_EQ(c.each[2].group[1].name, "d");
  EXPECT_TRUE(c.same.empty() && c.counts.empty());
}

TEST(Constraint, CountsNodes) {
  const Constraint c = constraint("a*4&b");
  ASSERT_EQ(c.counts.size(), 1u);
  EXPECT_EQ(c.counts[0].what.at(0).name, "a");
  EXPECT_EQ(c.counts[0].nodes, 4u);
  EXPECT_EQ(c.each.at(0).name, "b");
  EXPECT_EQ(constraint("[a*1&b*1]"), constraint("[a*1,b*1]"));
}

TEST(Constraint, OfBracketsIsOfAlternativesOrOfCounts) {
  EXPECT_EQ(constraint("[a|b]").same.size(), 2u);
  EXPECT_EQ(constraint("[(a|b)|b]").same.size(), 2u);
  for (const char* text : {"[a&b]", "[a*1|b*1]", "[a|b*2]", "[a*1&b]", "[a", "([a])", "[]"})
    EXPECT_FALSE(parse_constraint(text)) << text;
}

TEST(Constraint, TakesACommaForAnd) {
  EXPECT_EQ(constraint("a,b"), constraint("a&b"));
  for (const char* text : {"a,", ",a", "a,,b", ",", "a b*", "a*0", "a*x", "(a", "a)"})
    EXPECT_FALSE(parse_constraint(text)) << text;
  EXPECT_FALSE(parse_constraint("a*2\0b"s)) << "nothing is left unread";
}

TEST(Constraint, ParenthesesNestOnlySoDeep) {
  auto nested = [](std::size_t depth) {
    return std::string(depth, '(') + "a" + std::string(depth, ')');
  };
  EXPECT_TRUE(parse_constraint(nested(32)));
  EXPECT_FALSE(parse_constraint(nested(33)));
  EXPECT_FALSE(parse_constraint(std::string(4'000'000, '(')));
}

TEST(Constraint, HasAMostLength) {
  EXPECT_TRUE(parse_constraint(std::string(kLongestConstraint, 'a')));
  EXPECT_FALSE(parse_constraint(std::string(kLongestConstraint + 1, 'a')));
}

TEST(Constraint, NamesItsFeatures) {
  EXPECT_EQ(features_in(constraint("[a*2&b*1]|(c & d)")), (std::vector<Text>{"c", "d", "a", "b"}));
  EXPECT_EQ(features_in(constraint("[a|b]")), (std::vector<Text>{"a", "b"}));
  EXPECT_TRUE(features_in(constraint("")).empty());
}

TEST(Constraint, IsShownAsItWasWritten) {
  const FeatureExpression some("(a | b)&c"), wrong("a&");
  EXPECT_EQ(some.view(), "(a | b)&c");
  EXPECT_EQ(constraint_in(some), constraint("(a|b)&c"));
  EXPECT_EQ(wrong.view(), "a&");
  EXPECT_TRUE(constraint_in(wrong).empty());
  EXPECT_TRUE(constraint_in(FeatureExpression()).empty());
}

}  // namespace
}  // namespace muster
