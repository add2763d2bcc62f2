// What processes of jobs say to slurmd, and what they read.
#include "node/job_words.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

const AttemptRef kThirdRun{JobId{12}, Attempt{3}};
const Time kNow = from_unix_seconds(1'800'000'000);

TEST(JobWords, AreAVerbWithItsArguments) {
  EXPECT_EQ(parse_job_words("notice")->verb, JobWords::Verb::notice);
  EXPECT_EQ(parse_job_words(" wait ")->verb, JobWords::Verb::wait);
  EXPECT_EQ(parse_job_words("requeue-me")->verb, JobWords::Verb::requeue);
  const auto more = parse_job_words("extend-grace 60");
  ASSERT_TRUE(more);
  EXPECT_EQ(more->verb, JobWords::Verb::extend_grace);
  EXPECT_EQ(more->by, Seconds{60});
}

TEST(JobWords, OfAnyOtherKindAreRefused) {
  for (std::string_view line : {"", " ", "notice now", "extend-grace", "extend-grace 0",
                                "extend-grace -1", "extend-grace 1e3", "extend-grace 99999999999",
                                "extend-grace 60 60", "requeue-me 12", "NOTICE"})
    EXPECT_FALSE(parse_job_words(line)) << line;
}

TEST(NoticeJson, HasTheDeadlineOnTheClockOfTheNode) {
  StopNotice notice{.reason = StopReason::preempted, .signal = 15};
  notice.has_deadline = notice.requeue = true;
  notice.left = Millis{1500};
  notice.may_extend = Seconds{60};
  EXPECT_EQ(notice_json(kThirdRun, notice, kNow),
            R"({"job_id":12,"run":3,"reason":"preempted","signal":"SIGTERM",)"
            R"("deadline":1800000001.500,"requeue":true,"may_extend":60})");
}

TEST(NoticeJson, MayHaveNeitherSignalNorDeadline) {
  EXPECT_EQ(notice_json(kThirdRun, {.reason = StopReason::node_drain}, kNow),
            R"({"job_id":12,"run":3,"reason":"node_drain","signal":null,"deadline":null,)"
            R"("requeue":false,"may_extend":0})");
  EXPECT_EQ(notice_json(kThirdRun, {}, kNow), "");
}

TEST(JobAnswers, AreOneLineOfJsonWhateverTheReason) {
  EXPECT_EQ(notice_answer(""), "{\"ok\":true,\"notice\":null}\n");
  EXPECT_EQ(ask_answer("", Seconds{7}), "{\"ok\":true,\"granted\":7}\n");
  EXPECT_EQ(ask_answer("no \"quotes\"\nor \\", Seconds{0}),
            "{\"ok\":false,\"error\":\"no \\\"quotes\\\" or \\\\\"}\n");
}

TEST(NoticeFile, IsNamedAfterTheRun) {
  EXPECT_EQ(notice_file_name(kThirdRun), "12.3.json");
  EXPECT_EQ(parse_notice_file_name("12.3.json"), kThirdRun);
  for (std::string_view name :
       {"socket", "12.json", "12.3.json.new", "12.3.4.json", "a.b.json", ".json"})
    EXPECT_FALSE(parse_notice_file_name(name)) << name;
}

}  // namespace
}  // namespace muster
