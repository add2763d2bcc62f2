// The wire format itself: what a decoder accepts, skips and refuses.
#include "base/codec/codec.h"

#include <gtest/gtest.h>

#include <set>

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
struct Reversed {  // reads its fields in another order than they were written
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

// The lengths of messages around a long text are written before the text, so they may use more
// bytes than necessary.
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

TEST(Codec, ReadsBackWhatWasWritten) {
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
  // Two halves of a message, the later fields first; the list is in both.
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
    // In memory of its own, so that a sanitizer notices a byte too many.
    std::string part = bytes.substr(0, size);
    decode<Outer>(part);
  }
}

TEST(Codec, FieldNumbersThatCannotBeAreRefused) {
  EXPECT_FALSE(decode<Inner>(std::string("\0\1", 2)));          // number 0
  EXPECT_FALSE(decode<Inner>("\x80\x80\x80\x80\x80\x01\x01"));  // too large
  EXPECT_FALSE(decode<Inner>("\x0b"));                          // an unknown type
  EXPECT_FALSE(
      decode<Inner>("\x12\x05"
                    "ab"));  // longer than the message
  EXPECT_FALSE(decode<Inner>("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
}

struct Wide {  // a list element that is much larger in memory than its two bytes
  std::vector<Outer> list;
  std::vector<Cow<Outer>> shared;
  std::set<std::uint32_t> numbers;
  template <class V>
  void fields(V& v) {
    v(1, list);
    v(2, shared);
    v(3, numbers);
  }
};

std::string repeated(std::string_view field, std::size_t times) {
  std::string bytes;
  for (std::size_t i = 0; i < times; ++i) bytes += field;
  return bytes;
}

TEST(ForeignBytes, TakeABoundedAmountOfMemory) {
  for (std::string_view empty : {std::string_view("\x0a\0", 2), std::string_view("\x12\0", 2)}) {
    EXPECT_TRUE(decode<Wide>(repeated(empty, 1000), Origin::foreign));
    EXPECT_FALSE(decode<Wide>(repeated(empty, 100'000), Origin::foreign));
    EXPECT_TRUE(decode<Wide>(repeated(empty, 100'000))) << "our own may be so";
  }
  Wide honest;
  honest.list.resize(20'000, sample());
  EXPECT_TRUE(decode<Wide>(encode(honest), Origin::foreign));
  Wide numbers;
  for (std::uint32_t i = 0; i < 10'000; ++i) numbers.numbers.insert(i);
  EXPECT_TRUE(decode<Wide>(encode(numbers), Origin::foreign));
}

TEST(ForeignBytes, MustComeInTheOrderOfTheirFields) {
  const std::string disordered = encode(sample()) + "\x08\x05";  // field 1 behind field 5
  EXPECT_EQ(decode<Outer>(disordered)->id, 5u);
  EXPECT_FALSE(decode<Outer>(disordered, Origin::foreign));
  EXPECT_TRUE(decode<Outer>(encode(sample()), Origin::foreign));
  Outer outer = sample();
  std::string nested = encode(outer);
  nested += std::string("\x32\x04\x10\x01\x08\x01", 6);  // an unknown field 6 is skipped as a whole
  EXPECT_TRUE(decode<Outer>(nested, Origin::foreign));
}

enum class Colour : std::uint8_t { red, green };
constexpr Colour last_of(Colour) { return Colour::green; }
enum class Open : std::uint8_t { one };
struct Scalars {
  Colour colour = Colour::red;
  Open open = Open::one;
  std::uint8_t small = 0;
  std::int32_t number = 0;
  Uid uid;
  template <class V>
  void fields(V& v) {
    v(1, colour);
    v(2, open);
    v(3, small);
    v(4, number);
    v(5, uid);
  }
};

TEST(Codec, RefusesValuesThatAMemberCannotHold) {
  auto reads = [](std::string_view bytes) { return decode<Scalars>(bytes).has_value(); };
  EXPECT_TRUE(reads("\x08\x01"));
  EXPECT_FALSE(reads("\x08\x02")) << "no such colour";
  EXPECT_TRUE(reads("\x10\x07")) << "an enum that does not say which values it has";
  EXPECT_TRUE(reads("\x18\xff\x01"));
  EXPECT_FALSE(reads("\x18\x80\x02")) << "256 would become 0";
  EXPECT_TRUE(reads("\x20\xff\xff\xff\xff\x0f"));
  EXPECT_FALSE(reads("\x20\x80\x80\x80\x80\x10"));
  EXPECT_FALSE(reads("\x28\x80\x80\x80\x80\x10"));
}

}  // namespace
}  // namespace muster
