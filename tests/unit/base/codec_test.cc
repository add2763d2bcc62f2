// The wire format itself: what a decoder accepts, skips and refuses.
#include "base/codec.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

struct Inner {
  int x = 0;
  Text name;
  bool operator==(const Inner&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, x);
    v(2, name);
  }
};
struct Outer {
  std::uint32_t id = 7;
  std::vector<Inner> list;
  std::map<std::string, int> counts;
  Cow<Inner> shared;
  std::optional<double> share;
  bool operator==(const Outer&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, id);
    v(2, list);
    v(3, counts);
    v(4, shared);
    v(5, share);
  }
};
struct Reversed {  // asks for its fields in another order than they were written
  std::optional<double> share;
  std::vector<Inner> list;
  std::uint32_t id = 7;
  template <class V>
  void fields(V& v) {
    v(5, share);
    v(2, list);
    v(1, id);
  }
};

Outer sample() {
  return {.id = 300,
          .list = {{-1, "a"}, {}, {2, "b"}},
          .counts = {{"x", 1}, {"y", -2}},
          .shared = Cow(Inner{9, "s"}),
          .share = 0.5};
}

// The lengths of the messages around a long text are written before it is, and may be wider than
// they need be.
TEST(Codec, LongTextsWithinMessagesAreRead) {
  for (std::size_t size : {127u, 128u, 4095u, 4096u, 70'000u, 3'000'000u}) {
    Outer written = sample();
    written.list[1].name = std::string(size, 'x');
    written.list[2].name = std::string(size, 'y');
    written.counts[std::string(size, 'z')] = 3;
    auto read = decode<Outer>(encode(written));
    ASSERT_TRUE(read) << size;
    EXPECT_EQ(*read, written) << size;
  }
}

TEST(Codec, WhatWasWrittenIsRead) {
  auto read = decode<Outer>(encode(sample()));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, sample());
}

TEST(Codec, FieldsMayBeAskedForInAnyOrder) {
  auto read = decode<Reversed>(encode(sample()));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->id, 300u);
  EXPECT_EQ(read->list, sample().list);
  EXPECT_EQ(read->share, 0.5);
}

TEST(Codec, FieldsMayComeInAnyOrder) {
  // Two halves of one message, the later fields first; the list is split between them.
  Outer first, second;
  first.list = {{1, "a"}};
  first.share = 0.25;
  second.id = 12;
  second.list = {{2, "b"}};
  auto read = decode<Outer>(encode(first) + encode(second));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->id, 12u);
  EXPECT_EQ(read->list, (std::vector<Inner>{{1, "a"}, {2, "b"}}));
  EXPECT_EQ(read->share, 0.25);
}

TEST(Codec, EqualTextsOfAMessageShareTheirMemory) {
  Outer many;
  for (int i = 0; i < 3; ++i) many.list.push_back({i, "a name"});
  many.list.push_back({3, "another"});
  auto read = decode<Outer>(encode(many));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, many);
  EXPECT_EQ(read->list[0].name.view().data(), read->list[2].name.view().data());
}

TEST(Codec, UnknownFieldsAreSkipped) {
  auto read = decode<Inner>(encode(Inner{3, "n"}) + "\x7a\x02zz");  // number 15, two bytes
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, (Inner{3, "n"}));
}

TEST(Codec, NoPrefixOfAMessageIsReadBeyondItsEnd) {
  std::string bytes = encode(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::string part = bytes.substr(0, size);  // its own memory: a sanitizer sees a byte too many
    decode<Outer>(part);
  }
}

TEST(Codec, FieldNumbersThatCannotBeAreRefused) {
  EXPECT_FALSE(decode<Inner>(std::string("\0\1", 2)));          // number 0
  EXPECT_FALSE(decode<Inner>("\x80\x80\x80\x80\x80\x01\x01"));  // too large
  EXPECT_FALSE(decode<Inner>("\x0b"));                          // a type that is not ours
  EXPECT_FALSE(
      decode<Inner>("\x12\x05"
                    "ab"));  // longer than the message
  EXPECT_FALSE(decode<Inner>("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
}

}  // namespace
}  // namespace muster
