// Expansion and compression of host lists.
#include "base/text/hostlist.h"

#include <gtest/gtest.h>

#include <random>

namespace muster {
namespace {

using Names = std::vector<std::string>;

Names expand(std::string_view expression) {
  auto names = expand_hostlist(expression);
  EXPECT_TRUE(names) << expression;
  return names.value_or(Names{});
}

TEST(ExpandHostlist, KeepsOrderPaddingAndDuplicates) {
  EXPECT_EQ(expand("n[1-3,07-10],gpu0"),
            (Names{"n1", "n2", "n3", "n07", "n08", "n09", "n10", "gpu0"}));
  EXPECT_EQ(expand("n1,n1"), (Names{"n1", "n1"}));
  EXPECT_EQ(expand("n[8-010]"), (Names{"n8", "n9", "n10"}));
  EXPECT_EQ(expand("n[099-101]"), (Names{"n099", "n100", "n101"}));
}

TEST(ExpandHostlist, MultipliesSeveralGroups) {
  EXPECT_EQ(expand("a[1-2]b[3-4]"), (Names{"a1b3", "a1b4", "a2b3", "a2b4"}));
  EXPECT_EQ(expand("n[1-2][1-2]"), (Names{"n11", "n12", "n21", "n22"}));
  EXPECT_EQ(expand("n[1-2]-ib"), (Names{"n1-ib", "n2-ib"}));
  EXPECT_EQ(expand("[1-3]"), (Names{"1", "2", "3"}));
}

TEST(ExpandHostlist, TakesCommasAndBlanksBetweenNames) {
  EXPECT_EQ(expand("n1 n2"), (Names{"n1", "n2"}));
  EXPECT_EQ(expand(",n1,,n2,"), (Names{"n1", "n2"}));
  EXPECT_EQ(expand(""), Names{});
}

TEST(ExpandHostlist, RefusesWhatIsNoList) {
  for (const char* bad : {"n[1", "n1]", "n[a-b]", "n[3-1]", "n[]", "n[1,,2]", "n[[1]]", "n[-1]",
                          "n[1-]", "n[1-99999999]", "n[0-999]x[0-999]y[0-999]", "n[1-2-3]"})
    EXPECT_FALSE(expand_hostlist(bad)) << bad;
}

TEST(ExpandHostlist, BoundsNamesAndAllOfThemTogether) {
  const std::string longest(kMaxHostName - 1, 'a');
  EXPECT_TRUE(expand_hostlist(longest + "[1-9]"));
  EXPECT_FALSE(expand_hostlist(longest + "[1-10]")) << "a name of 256 bytes";
  EXPECT_FALSE(expand_hostlist("n[" + std::string(300, '0') + "1-5]")) << "by its padding";
  EXPECT_FALSE(expand_hostlist(longest.substr(0, 200) + "[0-999999]")) << "200 MB in all";
  EXPECT_TRUE(expand_hostlist("n[1-999999]"));
  EXPECT_FALSE(expand_hostlist("n[1-999999],m[1-2]"));
}

TEST(EachHost, StopsWhenTheVisitorDoes) {
  Names seen;
  auto ok = each_host("n[1-3],x[0-999999]y[0-999999],n[", [&](std::string_view name) {
    seen.emplace_back(name);
    return seen.size() < 5;
  });
  EXPECT_TRUE(ok);
  EXPECT_EQ(seen, (Names{"n1", "n2", "n3", "x0y0", "x0y1"}));
}

TEST(CompressHostlist, MakesRangesInTheOrderGiven) {
  EXPECT_EQ(compress_hostlist({"n1", "n2", "n3", "n7", "x01", "x02"}), "n[1-3,7],x[01-02]");
  EXPECT_EQ(compress_hostlist({"n3", "n1", "n2"}), "n[3,1-2]");
  EXPECT_EQ(compress_hostlist({"n1", "x", "n2"}), "n1,x,n2");
  EXPECT_EQ(compress_hostlist({"n9", "n10", "n11"}), "n[9-11]");
  EXPECT_EQ(compress_hostlist({"n9", "n010"}), "n[9,010]");
  EXPECT_EQ(compress_hostlist({"1", "2"}), "[1-2]");
  EXPECT_EQ(compress_hostlist({"a1b1", "a1b2", "a2b1"}), "a1b[1-2],a2b1");
  EXPECT_EQ(compress_hostlist({}), "");
  EXPECT_EQ(compress_hostlist({"foo"}), "foo");
}

TEST(CompressHostlist, SortsByNumberAndDropsDuplicates) {
  EXPECT_EQ(compress_hostlist_sorted({"n10", "n2", "n1", "n2"}), "n[1-2,10]");
  EXPECT_EQ(compress_hostlist_sorted({"n01", "n02", "n1", "n2"}), "n[1-2,01-02]");
  EXPECT_EQ(compress_hostlist_sorted({"n11", "n09", "n10"}), "n[09-11]");
  EXPECT_EQ(compress_hostlist_sorted({"n1", "x", "n2"}), "n[1-2],x");
}

TEST(CompressHostlist, SurvivesNumbersLongerThanAWord) {
  Names names{"n18446744073709551616", "n18446744073709551617"};
  EXPECT_EQ(expand(compress_hostlist(names)), names);
}

TEST(CompressHostlist, ExpandsToWhatItWasMadeFrom) {
  std::mt19937 random(7);
  const Names prefixes{"n", "gpu", "rack1-n", "", "x0y"};
  for (int round = 0; round < 2000; ++round) {
    Names names;
    for (int i = 0, count = random() % 12; i < count; ++i) {
      std::string number = std::to_string(random() % 15);
      if (random() % 3 == 0) number.insert(0, random() % 3, '0');
      std::string name = prefixes[random() % prefixes.size()] + (random() % 8 == 0 ? "" : number);
      if (!name.empty()) names.push_back(name);
    }
    std::string text = compress_hostlist(names);
    EXPECT_EQ(expand(text), names) << text;
    Names sorted = names;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    Names back = expand(compress_hostlist_sorted(names));
    std::sort(back.begin(), back.end());
    EXPECT_EQ(back, sorted);
  }
}

TEST(HostLess, OrdersByPrefixThenNumber) {
  EXPECT_TRUE(host_less("n2", "n10"));
  EXPECT_FALSE(host_less("n10", "n2"));
  EXPECT_TRUE(host_less("a9", "b1"));
  EXPECT_TRUE(host_less("n", "n1"));
  EXPECT_TRUE(host_less("n1", "n01"));
  EXPECT_FALSE(host_less("n1", "n1"));
}

}  // namespace
}  // namespace muster
