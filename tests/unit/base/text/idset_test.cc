// Reading sets of numbers from texts and bytes.
#include "base/text/idset.h"

#include <gtest/gtest.h>

#include "base/codec/codec.h"

namespace muster {
namespace {

struct Raw {  // the form in which a set is written
  std::vector<IdSet::Range> ranges;
  template <class V>
  void fields(V& v) {
    v(1, ranges);
  }
};

bool reads(std::vector<IdSet::Range> ranges) {
  return decode<IdSet>(encode(Raw{std::move(ranges)})).has_value();
}

TEST(IdSet, OfBytesIsASetOrNothing) {
  EXPECT_TRUE(reads({}));
  EXPECT_TRUE(reads({{1, 5}, {7, 7}}));
  EXPECT_TRUE(reads({{0, 0xffffffff}}));
  EXPECT_FALSE(reads({{5, 1}})) << "falls";
  EXPECT_FALSE(reads({{1, 5}, {3, 9}})) << "overlap";
  EXPECT_FALSE(reads({{7, 9}, {1, 2}})) << "not in order";
  EXPECT_FALSE(reads({{1, 5}, {6, 9}})) << "are one range";
  EXPECT_FALSE(reads({{0, 0xffffffff}, {0, 0}}));
}

TEST(IdSet, AStrideIsCountedBeforeItIsWrittenOut) {
  EXPECT_FALSE(IdSet::parse("0-4294967280:2"));
  EXPECT_FALSE(IdSet::parse("0-40000:2,50000-150000:2")) << "together they are too many";
  EXPECT_EQ(IdSet::parse("0-100000:2")->size(), 50001u);
  EXPECT_FALSE(IdSet::parse("0-10:2", 100, 5));
  EXPECT_EQ(IdSet::parse("0-10:2", 100, 6)->size(), 6u);
  EXPECT_EQ(IdSet::parse("0-4294967280")->size(), 4294967281u) << "is one range";
}

}  // namespace
}  // namespace muster
