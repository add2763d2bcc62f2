// Blocks of strings that end with zero bytes.
#include "base/text/string_block.h"

#include <gtest/gtest.h>

#include "base/codec/codec.h"

namespace muster {
namespace {

using Strings = std::vector<std::string>;

struct Message {
  StringBlock block;
  template <class V>
  void fields(V& v) {
    v(3, block);
  }
};
struct ListMessage {
  Strings block;
  template <class V>
  void fields(V& v) {
    v(3, block);
  }
};

TEST(StringBlock, KeepsItsStringsInOrderEmptyOnesToo) {
  StringBlock block(Strings{"A=1", "", "B=2"});
  EXPECT_EQ(block.strings(), (Strings{"A=1", "", "B=2"}));
  EXPECT_EQ(block.bytes(), std::string("A=1\0\0B=2\0", 9));
  EXPECT_TRUE(StringBlock().empty());
  EXPECT_EQ(StringBlock().strings(), Strings{});
}

TEST(StringBlock, ReadsABlockWhoseEndIsMissing) {
  EXPECT_EQ(StringBlock(std::string("A=1\0B", 5)).strings(), (Strings{"A=1", "B"}));
}

TEST(StringBlock, AStringEndsAtAZero) {
  StringBlock block;
  block.push_back(std::string_view("a\0b", 3));
  EXPECT_EQ(block.strings(), Strings{"a"});
}

TEST(StringBlock, TravelsAsAListOfStringsDoes) {
  const Strings strings{"A=1", "", "B=2"};
  const std::string bytes = encode(Message{StringBlock(strings)});
  EXPECT_EQ(bytes, encode(ListMessage{strings}));
  EXPECT_EQ(decode<Message>(bytes)->block.strings(), strings);
  EXPECT_FALSE(decode<Message>(std::string("\x18\x01", 2))) << "a number is no string";
}

}  // namespace
}  // namespace muster
