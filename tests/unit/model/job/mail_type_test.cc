// --mail-type as text.
#include "model/job/mail_type.h"

#include <gtest/gtest.h>

#include "model/job/job_spec.h"

namespace muster {
namespace {

TEST(MailTypes, NamesInAnyCaseAndOrder) {
  EXPECT_EQ(parse_mail_types("end, BEGIN"), kMailBegin | kMailEnd);
  EXPECT_EQ(mail_types_text(kMailBegin | kMailEnd), "BEGIN,END");
}

TEST(MailTypes, NoneCancelsTheNamesBeforeIt) {
  EXPECT_EQ(parse_mail_types("ALL,NONE"), 0u);
  EXPECT_EQ(parse_mail_types("NONE,FAIL"), std::uint32_t{kMailFail});
  EXPECT_EQ(mail_types_text(0), "");
}

TEST(MailTypes, OneKnownNameIsEnough) {
  EXPECT_EQ(parse_mail_types("foo,END"), std::uint32_t{kMailEnd});
  EXPECT_FALSE(parse_mail_types("foo"));
  EXPECT_FALSE(parse_mail_types(""));
}

}  // namespace
}  // namespace muster
