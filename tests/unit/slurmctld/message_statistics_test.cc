// Messages by type and by user, in tables that are bounded.
#include "slurmctld/message_statistics.h"

#include <gtest/gtest.h>

namespace muster::daemon {
namespace {

using namespace std::chrono_literals;

constexpr MessageType kPing{1008, "REQUEST_PING"}, kJobs{2003, "REQUEST_JOB_INFO"};

wire::StatisticsReply told(const MessageStatistics& statistics) {
  wire::StatisticsReply reply;
  statistics.fill(reply);
  return reply;
}

TEST(MessageStatistics, CountsByTypeAndByUser) {
  MessageStatistics statistics;
  statistics.count(kPing, Uid{1000});
  statistics.count(kJobs, Uid{1000});
  statistics.count(kJobs, Uid{7});
  statistics.add_time(kJobs, Uid{1000}, 1500ns);
  statistics.add_time(kJobs, Uid{1000}, 1600ns);
  const auto reply = told(statistics);
  ASSERT_EQ(reply.by_type.size(), 2u);
  EXPECT_EQ(reply.by_type[1].id, 2003u);
  EXPECT_EQ(reply.by_type[1].name, "REQUEST_JOB_INFO");
  EXPECT_EQ(reply.by_type[1].count, 2u);
  EXPECT_EQ(reply.by_type[1].time_us, 3u);
  ASSERT_EQ(reply.by_user.size(), 2u);
  EXPECT_EQ(reply.by_user[0].id, 7u);
  EXPECT_EQ(reply.by_user[1].count, 2u);
  EXPECT_EQ(reply.other_users.count, 0u);
}

TEST(MessageStatistics, UsersBeyondTheTableShareARow) {
  MessageStatistics statistics;
  constexpr std::uint32_t kUsers = MessageStatistics::kUsersAtMost + 5;
  for (std::uint32_t user = 0; user < kUsers; ++user) statistics.count(kPing, Uid{user});
  statistics.add_time(kPing, Uid{kUsers - 1}, 2us);
  const auto reply = told(statistics);
  EXPECT_EQ(reply.by_user.size(), MessageStatistics::kUsersAtMost);
  EXPECT_EQ(reply.other_users.count, 5u);
  EXPECT_EQ(reply.other_users.time_us, 2u);
  EXPECT_EQ(reply.by_type.front().count, kUsers);
}

TEST(MessageStatistics, WhatWasUnderWayAtAResetAddsNothing) {
  MessageStatistics statistics;
  statistics.count(kPing, Uid{1});
  statistics.reset();
  statistics.add_time(kPing, Uid{1}, 2us);
  EXPECT_TRUE(told(statistics).by_type.empty());
  EXPECT_TRUE(told(statistics).by_user.empty());
}

TEST(MessageNames, AreSlurmsWhereItHasTheMessage) {
  wire::SubmitRequest submission{.spec = Cow(JobRequest())};
  submission.spec.edit().kind = JobKind::batch;
  EXPECT_EQ(type_of(wire::Request(submission)).name, "REQUEST_SUBMIT_BATCH_JOB");
  submission.spec.edit().kind = JobKind::allocation;
  EXPECT_EQ(type_of(wire::Request(submission)).id, 4001);
  EXPECT_EQ(type_of(wire::Request(wire::AccountingRequest{})).name, "MUSTER_ACCOUNTING");
  EXPECT_EQ(type_of(wire::Report(wire::RegisterReport{})).id, 1002);
  EXPECT_EQ(type_of(wire::Order(wire::EndJobOrder{})).id, 6011);
}

}  // namespace
}  // namespace muster::daemon
