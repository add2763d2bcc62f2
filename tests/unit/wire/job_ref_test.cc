// Job ids as users write them.
#include <gtest/gtest.h>

#include "wire/client_messages.h"

namespace muster::wire {
namespace {

TEST(JobRef, ReadsWhatUsersWrite) {
  EXPECT_EQ(*parse_job_ref("12"), (JobRef{JobId{12}, {}, {}}));
  EXPECT_EQ(*parse_job_ref("12_3"), (JobRef{JobId{12}, IdSet::range(3, 3), {}}));
  EXPECT_EQ(*parse_job_ref("12_[1-4,7%2]"), (JobRef{JobId{12}, *IdSet::parse("1-4,7"), {}}));
  EXPECT_EQ(*parse_job_ref("12_*"), (JobRef{JobId{12}, {}, {}}));
  EXPECT_EQ(*parse_job_ref("12.0"), (JobRef{JobId{12}, {}, StepId{0}}));
  EXPECT_EQ(*parse_job_ref("12_3.batch"), (JobRef{JobId{12}, IdSet::range(3, 3), kBatchStep}));
  EXPECT_EQ(*parse_job_ref("12.extern"), (JobRef{JobId{12}, {}, kExternStep}));
  EXPECT_EQ(*parse_job_ref("12+1"), (JobRef{JobId{12}, {}, {}, 1}));
  EXPECT_EQ(*parse_job_ref("12+0.3"), (JobRef{JobId{12}, {}, StepId{3}, 0}));
}

TEST(JobRef, RefusesOtherTextsAsInvalidJobIds) {
  for (const char* bad :
       {"", "0", "abc", "12_", "12_[", "12_[]", "12_[3-1]", "12.", "12.x", "-1", "12_3-5", "12 13",
        "99999999999", "12_a", "12+", "12+x", "12_3+1", "12+1_3"}) {
    auto ref = parse_job_ref(bad);
    ASSERT_FALSE(ref) << bad;
    EXPECT_EQ(ref.error().code, ErrorCode::invalid_job_id);
  }
}

TEST(JobRef, PrintsTextsThatReadBack) {
  for (const char* text :
       {"12", "12_3", "12_[1-4]", "12.0", "12_3.batch", "12.extern", "12+1", "12+0.3"}) {
    EXPECT_EQ(job_ref_text(*parse_job_ref(text)), text);
  }
}

}  // namespace
}  // namespace muster::wire
