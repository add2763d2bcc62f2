// Lists of licenses.
#include "model/job/licenses.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

Licenses licenses(std::string_view text) { return parse_licenses(text).value(); }

TEST(Licenses, AreNamesWithCounts) {
  const Licenses two{{"matlab", 2}, {"ansys", 1}};
  EXPECT_EQ(licenses("matlab:2,ansys"), two);
  EXPECT_EQ(licenses(" matlab*2 , ansys:1"), two);
  EXPECT_EQ(licenses("matlab:2;ansys"), two);
  EXPECT_EQ(licenses(""), Licenses{});
}

TEST(Licenses, RefusesWhatHasNoNameOrCount) {
  for (const char* text :
       {",", "matlab,", ":2", "matlab:", "matlab:x", "matlab:-1", "matlab:2:3"}) {
    auto parsed = parse_licenses(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error(), ErrorCode::invalid_license);
  }
}

TEST(Licenses, AreNotCountedWithoutEnd) {
  std::string many = "a";
  for (std::size_t i = 1; i < kMostLicenses; ++i) many += ",a";
  EXPECT_TRUE(parse_licenses(many));
  EXPECT_FALSE(parse_licenses(many + ",a"));
}

TEST(Licenses, AreShownAsTheyWereWritten) {
  const LicenseList list("matlab*2 ;ansys"), wrong("matlab:x");
  EXPECT_EQ(list.view(), "matlab*2 ;ansys");
  EXPECT_EQ(licenses_in(list), licenses("matlab:2,ansys"));
  EXPECT_EQ(wrong.view(), "matlab:x");
  EXPECT_TRUE(licenses_in(wrong).empty());
}

}  // namespace
}  // namespace muster
