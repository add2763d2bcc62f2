// Mails: what causes one, what its subject says, and that none is sent twice.
#include <gtest/gtest.h>

#include <algorithm>

#include "controller/world.h"

namespace muster::controller::effects_test {
namespace {

using namespace muster::controller::test;

constexpr std::uint32_t kAllTypes =
    kMailBegin | kMailEnd | kMailFail | kMailRequeue | kMailInvalidDepend;

SpecBuilder mailing(std::uint32_t types = kAllTypes) {
  return job().set(&JobRequest::mail_type, types).set(&JobRequest::mail_user, Text("me@x.org"));
}

// The subjects since the last call.
std::vector<std::string> subjects(World& w) {
  std::vector<std::string> found;
  for (const SiteProgramRun& run : w.host.programs)
    if (run.which == SiteProgramRun::Which::mail) found.push_back(run.arguments.at(1));
  w.host.programs.clear();
  return found;
}
using Subjects = std::vector<std::string>;

TEST(Mail, TellsOfTheBeginAndTheEnd) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(mailing());
  ASSERT_EQ(w.host.programs.size(), 1u);
  EXPECT_EQ(w.host.programs[0].arguments,
            (Subjects{"-s", "Slurm Job_id=1 Name=job Began, Queued time 00:00:00", "me@x.org"}));
  subjects(w);
  w.now += Seconds{61};
  w.step_end(1, batch_of(id));
  EXPECT_EQ(subjects(w),
            Subjects{"Slurm Job_id=1 Name=job Ended, Run time 00:01:01, COMPLETED, ExitCode 0"});
}

TEST(Mail, IsSentAfterTheCommitOnly) {
  World w{ClusterBuilder().nodes(1)};
  w.hold_commits = true;
  w.ask(wire::SubmitRequest{.spec = Cow(JobRequest(mailing()))});
  w.run();
  EXPECT_TRUE(w.host.programs.empty());
  w.finish_commit();
  w.hold_commits = false;
  w.run();
  EXPECT_EQ(subjects(w).size(), 1u);
}

TEST(Mail, GoesToTheUserInTheMailDomainWhereNoAddressIsGiven) {
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) { s.mail_domain = "x.org"; })};
  w.submit(job().set(&JobRequest::mail_type, std::uint32_t{kMailBegin}));
  ASSERT_EQ(w.host.programs.size(), 1u);
  EXPECT_EQ(w.host.programs[0].arguments.back(), "alice@x.org");
}

TEST(Mail, OfAFailureSaysFailedOnlyWhereThatWasAskedFor) {
  World w{ClusterBuilder().nodes(1)};
  w.step_end(1, batch_of(w.submit(mailing(kMailFail))), 7 << 8);
  EXPECT_EQ(subjects(w),
            Subjects{"Slurm Job_id=1 Name=job Failed, Run time 00:00:00, FAILED, ExitCode 7"});
  w.step_end(1, batch_of(w.submit(mailing(kMailEnd))), 7 << 8);
  EXPECT_EQ(subjects(w),
            Subjects{"Slurm Job_id=2 Name=job Ended, Run time 00:00:00, FAILED, ExitCode 7"});
  w.step_end(1, batch_of(w.submit(mailing(kMailFail))), 0);
  EXPECT_EQ(subjects(w), Subjects{});
  w.step_end(1, batch_of(w.submit(mailing(kMailFail))), 9);
  EXPECT_EQ(subjects(w), Subjects{"Slurm Job_id=4 Name=job Failed, Run time 00:00:00, FAILED"});
}

TEST(Mail, TellsOfARequeueWithTheRunItEnded) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(mailing(kMailRequeue | kMailEnd));
  w.now += Seconds{5};
  w.act(wire::JobAction::requeue, id);
  w.step_end(1, batch_of(id), 15);
  EXPECT_EQ(subjects(w), Subjects{"Slurm Job_id=1 Name=job Requeued, Run time 00:00:05"});
}

TEST(Mail, TellsOncePerRunOfEachPartOfTheTimeLimit) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(mailing(kMailTimeLimits).minutes(10));
  w.pass(Minutes{4});
  EXPECT_EQ(subjects(w), Subjects{});
  w.pass(Minutes{1});
  EXPECT_EQ(subjects(w),
            Subjects{"Slurm Job_id=1 Name=job Reached 50% of time limit, Run time 00:05:00"});
  w.pass(Minutes{1});
  EXPECT_EQ(subjects(w), Subjects{});
  w.pass(Minutes{3});
  EXPECT_EQ(subjects(w),
            (Subjects{"Slurm Job_id=1 Name=job Reached 80% of time limit, Run time 00:09:00",
                      "Slurm Job_id=1 Name=job Reached 90% of time limit, Run time 00:09:00"}));
  w.pass(Minutes{1});
  EXPECT_EQ(subjects(w), Subjects{"Slurm Job_id=1 Name=job Reached time limit, Run time 00:10:00"});
}

TEST(Mail, TellsOnceOfADependencyThatCannotBeMet) {
  World w{ClusterBuilder().nodes(1)};
  w.step_end(1, batch_of(w.submit(job())), 1 << 8);
  w.submit(mailing().dependency("afterok:1"));
  w.pass(Seconds{1});
  w.pass(Seconds{1});
  EXPECT_EQ(subjects(w), Subjects{"Slurm Job_id=2 Name=job Invalid dependency"});
}

TEST(Mail, OfAnArrayIsASummary) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(mailing().array("1-2"));
  EXPECT_EQ(subjects(w), Subjects{"Slurm Array Summary Job_id=1_* (1) Name=job Began"});
  w.step_end(1, batch_of(2), 0);
  EXPECT_EQ(subjects(w), Subjects{});
  w.step_end(1, batch_of(id), 2 << 8);
  EXPECT_EQ(subjects(w),
            Subjects{"Slurm Array Summary Job_id=1_* (1) Name=job Failed, Mixed, ExitCode [0-2]"});
}

TEST(Mail, OfAnArrayIsOneForEachTaskWhereAskedFor) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(mailing(kMailBegin | kMailArrayTasks).array("1-2").memory(100));
  Subjects began = subjects(w);
  std::ranges::sort(began);
  EXPECT_EQ(began,
            (Subjects{"Slurm Array Task Job_id=1_1 (2) Name=job Began, Queued time 00:00:00",
                      "Slurm Array Task Job_id=1_2 (1) Name=job Began, Queued time 00:00:00"}));
}

TEST(Mail, OfACancelledPendingArrayIsOne) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(mailing().array("1-20").hold());
  w.cancel(id);
  EXPECT_EQ(subjects(w),
            Subjects{"Slurm Array Summary Job_id=1_* (1) Name=job Ended, Mixed, MaxSignal [9]"});
}

TEST(Mail, GoesToPlainAddressesOnly) {
  World w{ClusterBuilder().nodes(1)};
  auto to = [](const char* user) { return job().set(&JobRequest::mail_user, Text(user)); };
  for (const char* user : {"alice", "alice@x.org", "a.b+c@x-y.org,bob", "a@x.org, b@y.org", "_x"})
    EXPECT_TRUE(std::holds_alternative<wire::SubmitReply>(w.try_submit(to(user)))) << user;
  for (const char* user : {"--exec=!id>/tmp/x", "-f/etc/passwd", "a,-x", "a b", "a\nBcc: b", "|id",
                           "/tmp/x", "a,,b", ",", "$(id)", "a;b", "\x1b[2J"})
    EXPECT_TRUE(std::holds_alternative<Error>(w.try_submit(to(user)))) << user;
  EXPECT_EQ(w.update(1, "MailUser", "--exec=!id"), ErrorCode::failure);
  EXPECT_EQ(w.update(1, "MailUser", "bob@x.org"), ErrorCode{});
}

TEST(Mail, HasASubjectOfOneLine) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(job()
               .set(&JobRequest::mail_type, std::uint32_t{kMailBegin})
               .set(&JobRequest::name, Text("a\nBcc: eve@x.org\x1b[0m")));
  ASSERT_EQ(w.host.programs.size(), 1u);
  EXPECT_EQ(w.host.programs[0].arguments[1],
            "Slurm Job_id=1 Name=aBcc: eve@x.org[0m Began, Queued time 00:00:00");
}

}  // namespace
}  // namespace muster::controller::effects_test
