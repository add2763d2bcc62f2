// Lists of names are split once and keep their text.
#include "base/text/name_list.h"

#include <gtest/gtest.h>

#include "base/codec/codec.h"

namespace muster {
namespace {

struct WithNames {
  NameList names;
  template <class V>
  void fields(V& v) {
    v(1, names);
  }
};

TEST(NameList, KeepsTheTextAndTheNames) {
  const NameList names("long, short,,main");
  EXPECT_EQ(names.view(), "long, short,,main");
  EXPECT_EQ(names.parsed(), (std::vector<Text>{"long", "short", "main"}));
  EXPECT_EQ(first_of(names), "long");
  EXPECT_TRUE(has_name(names, "short"));
  EXPECT_FALSE(has_name(names, "sho"));
  EXPECT_EQ(as_name_list(names.parsed()), "long,short,main");
}

TEST(NameList, OfNothingHasNoName) {
  EXPECT_TRUE(NameList().empty());
  const NameList comma(",");
  EXPECT_FALSE(comma.empty());
  EXPECT_TRUE(comma.parsed().empty());
  EXPECT_TRUE(first_of(comma).empty());
}

TEST(NameList, IsNotSplitBeyondTheLimit) {
  std::string many = "a";
  for (std::size_t i = 1; i < kMostNames; ++i) many += ",a";
  EXPECT_EQ(parse_names(many).size(), kMostNames);
  EXPECT_EQ(parse_names(many + ",a"), std::vector<Text>{Text(many + ",a")});
}

TEST(NameList, TravelsAsItsText) {
  WithNames sent{"a,b"};
  auto read = decode<WithNames>(encode(sent));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->names, sent.names);
  EXPECT_EQ(read->names.parsed().at(1), "b");
}

TEST(NameList, IsSharedByItsCopies) {
  const NameList names("a,b"), copy = names;
  EXPECT_EQ(&copy.parsed(), &names.parsed());
  EXPECT_EQ(sizeof(NameList), sizeof(void*));
}

}  // namespace
}  // namespace muster
