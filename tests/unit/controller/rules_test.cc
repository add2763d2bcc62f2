// Who may do what, and which keys scontrol update accepts.
#include <gtest/gtest.h>

#include "controller/world.h"

namespace muster::controller {
namespace {

using namespace muster::controller::test;

ErrorCode code_of(const wire::Answer& answer) {
  auto* error = std::get_if<Error>(&answer);
  return error ? error->code : ErrorCode{};
}
ErrorCode first_error(const wire::CancelReply& reply) {
  return reply.errors.empty() ? ErrorCode{} : reply.errors[0].second.code;
}
constexpr ErrorCode kFine{};

TEST(Permission, OnlyTheOwnerAndOperatorsCancel) {
  World w{ClusterBuilder().nodes(1)};
  auto running = w.submit(job()), pending = w.submit(job());
  EXPECT_EQ(first_error(w.cancel(running, kBob)), ErrorCode::access_denied);
  EXPECT_EQ(first_error(w.cancel(pending, kBob)), ErrorCode::access_denied);
  EXPECT_EQ(w.job(pending).state, JobState::pending);
  EXPECT_FALSE(w.job(running).run->ending);
  EXPECT_EQ(first_error(w.cancel(pending, kRoot)), kFine);
  EXPECT_EQ(w.job(pending).run->ending->by, kRoot);
  EXPECT_EQ(first_error(w.cancel(running, Uid{64030})), kFine) << "SlurmUser";
}

TEST(Permission, AFilterOnlyReachesOnesOwnJobs) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(job());
  auto id = w.submit(job());
  wire::CancelRequest request{.filter = wire::JobFilter{}};
  EXPECT_EQ(std::get<wire::CancelReply>(w.answer(request, kBob)).cancelled, 0u);
  EXPECT_EQ(w.job(id).state, JobState::pending);
}

// A task that is named by somebody else must stay in its array.
TEST(Permission, ARefusedCancelChangesNothing) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(job());
  auto id = w.submit(job().array("0-3"));
  Cluster before = w.core.cluster();
  wire::CancelRequest request{.jobs = {{.job = JobId{id}, .tasks = IdSet::range(2, 2)}}};
  EXPECT_EQ(first_error(std::get<wire::CancelReply>(w.answer(request, kBob))),
            ErrorCode::access_denied);
  EXPECT_EQ(w.core.cluster(), before);
}

TEST(Permission, NobodySubmitsForAnother) {
  World w{ClusterBuilder().nodes(1)};
  EXPECT_EQ(code_of(w.try_submit(job().user(kAlice), kBob)), ErrorCode::user_id_missing);
  EXPECT_EQ(code_of(w.try_submit(job().user(kAlice), kRoot)), kFine);
}

TEST(Permission, ActionsOnAnothersJobAreRefused) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  for (auto action : {wire::JobAction::hold, wire::JobAction::release})
    EXPECT_EQ(first_error(w.act(action, id, kBob)), ErrorCode::user_id_missing);
  EXPECT_EQ(first_error(w.act(wire::JobAction::requeue, id, kBob)), ErrorCode::access_denied);
  EXPECT_EQ(first_error(w.act(wire::JobAction::suspend, id, kAlice)), ErrorCode::access_denied);
  EXPECT_EQ(first_error(w.act(wire::JobAction::suspend, id, kRoot)), kFine);
  EXPECT_EQ(w.job(id).state, JobState::suspended);
}

TEST(Permission, AnAdministratorsHoldIsNotReleasedByTheUser) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job().begin(t0 + Minutes{9}));
  w.act(wire::JobAction::hold, id, kRoot);
  EXPECT_EQ(w.job(id).hold, Hold::admin);
  EXPECT_EQ(first_error(w.act(wire::JobAction::hold, id)), kFine);
  EXPECT_EQ(w.job(id).hold, Hold::admin) << "the user's own does not take its place";
  EXPECT_EQ(first_error(w.act(wire::JobAction::release, id)), ErrorCode::access_denied);
  EXPECT_EQ(first_error(w.act(wire::JobAction::release, id, kRoot)), kFine);
  EXPECT_EQ(w.job(id).hold, Hold::none);
  EXPECT_NE(w.job(id).priority, 0u);
}

TEST(Permission, NodesAndPartitionsAreForOperators) {
  World w{ClusterBuilder().nodes(1)};
  using Kind = wire::UpdateRequest::Kind;
  wire::UpdateRequest node{.kind = Kind::node,
                           .settings = {{"NodeName", "n1"}, {"State", "DRAIN"}, {"Reason", "x"}}};
  wire::UpdateRequest partition{.kind = Kind::partition,
                                .settings = {{"PartitionName", "main"}, {"State", "DOWN"}}};
  EXPECT_EQ(code_of(w.answer(node)), ErrorCode::user_id_missing);
  EXPECT_EQ(code_of(w.answer(partition)), ErrorCode::user_id_missing);
  EXPECT_EQ(code_of(w.answer(node, kRoot)), kFine);
  EXPECT_TRUE(w.node(1).drain);
  EXPECT_EQ(w.node(1).reason_uid, kRoot);
  EXPECT_EQ(code_of(w.answer(partition, kRoot)), kFine);
  EXPECT_EQ(w.core.cluster().find_partition("main")->state, PartitionState::down);
}

TEST(UpdateNode, DrainingNeedsAReasonAndResumeClearsIt) {
  World w{ClusterBuilder().nodes(1)};
  wire::UpdateRequest request{.kind = wire::UpdateRequest::Kind::node,
                              .settings = {{"NodeName", "n1"}, {"State", "DRAIN"}}};
  EXPECT_EQ(code_of(w.answer(request, kRoot)), ErrorCode::failure);
  request.settings.emplace_back("Reason", "disk");
  EXPECT_EQ(code_of(w.answer(request, kRoot)), kFine);
  request.settings = {{"NodeName", "n1"}, {"State", "RESUME"}};
  EXPECT_EQ(code_of(w.answer(request, kRoot)), kFine);
  EXPECT_FALSE(w.node(1).drain);
  EXPECT_TRUE(w.node(1).reason.empty());
}

TEST(UpdateNode, SettingANodeDownEndsItsJobs) {
  const wire::UpdateRequest request{
      .kind = wire::UpdateRequest::Kind::node,
      .settings = {{"NodeName", "n1"}, {"State", "DOWN"}, {"Reason", "x"}}};
  for (bool is_there : {true, false}) {
    World w{ClusterBuilder().nodes(1)};
    auto id = w.submit(job().requeue(false));
    if (!is_there) w.leave(1);
    EXPECT_EQ(code_of(w.answer(request, kRoot)), kFine);
    if (is_there) {
      EXPECT_TRUE(w.job(id).completing()) << "its slurmd ends it as any other job";
      EXPECT_EQ(w.take<wire::EndJobOrder>().size(), 1u);
      w.hang(1);
      w.pass(Seconds{301});  // and nobody waits for it when it falls silent
    }
    EXPECT_EQ(w.job(id).state, JobState::node_fail);
    EXPECT_TRUE(w.job(id).run->unfinished.empty());
  }
}

TEST(Submit, SchedulerParametersBoundWhatIsTaken) {
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) {
    s.max_array_tasks = 3;
    s.request_limits.script = 20;
    s.allow_zero_licenses = true;
    s.licenses = {{"matlab", 2}};
  })};
  EXPECT_EQ(code_of(w.try_submit(job().array("0-9:4"))), kFine);
  EXPECT_EQ(code_of(w.try_submit(job().array("0-9:3"))), ErrorCode::invalid_array);
  JobRequest many = job();
  many.licenses = "matlab:5";
  EXPECT_EQ(code_of(w.try_submit(many)), kFine) << "it waits for them";
  many.licenses = "other:1";
  EXPECT_EQ(code_of(w.try_submit(many)), ErrorCode::invalid_license);
  wire::Answer long_script = w.answer(
      wire::SubmitRequest{.spec = Cow(JobRequest(job())), .script = std::string(21, '#')}, kAlice);
  EXPECT_EQ(
      std::get<Error>(long_script).text(),
      "Pathname of a file, directory or other parameter too long: script of 21 bytes, at most "
      "20 are allowed (max_script_size)");
}

TEST(Submit, AStartByTheDeadlineHasToBePossible) {
  World w{ClusterBuilder().nodes(1)};
  JobRequest spec = job().minutes(10);
  spec.time_min = Minutes{5};
  spec.deadline = w.now + Minutes{4};
  wire::Answer refused = w.try_submit(spec);
  ASSERT_TRUE(std::holds_alternative<Error>(refused));
  EXPECT_TRUE(std::get<Error>(refused).text().starts_with("Invalid time-min specification"));
  spec.deadline = w.now + Minutes{6};
  EXPECT_EQ(code_of(w.try_submit(spec)), kFine);
}

TEST(Submit, RefusalsCarryTheirCodes) {
  World w{ClusterBuilder().nodes(2).settings([](Settings& s) { s.max_array_size = 10; })};
  EXPECT_EQ(code_of(w.try_submit(job().partition("nowhere"))), ErrorCode::invalid_partition);
  EXPECT_EQ(code_of(w.try_submit(job().cpus_per_task(9))),
            ErrorCode::requested_node_config_unavailable);
  EXPECT_EQ(code_of(w.try_submit(job().array("0-10"))), ErrorCode::invalid_array);
  EXPECT_EQ(code_of(w.try_submit(job().array("0-9"))), kFine);
  EXPECT_EQ(code_of(w.try_submit(job().array("x"))), ErrorCode::invalid_array);
  EXPECT_EQ(code_of(w.try_submit(job().dependency("afterok:x"))), ErrorCode::dependency);
  EXPECT_EQ(code_of(w.try_submit(job().dependency("0"))), kFine);
  EXPECT_EQ(code_of(w.try_submit(job().on("n7"))), ErrorCode::invalid_node_name);
  EXPECT_EQ(code_of(w.try_submit(job().gres("fpga"))), ErrorCode::invalid_gres);
}

TEST(Submit, TheNumberOfJobsIsBounded) {
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) { s.max_job_count = 2; })};
  w.submit(job());
  w.submit(job());
  EXPECT_EQ(code_of(w.try_submit(job())), ErrorCode::too_many_jobs);
}

TEST(Submit, ATestSaysWhenAndWhereAndLeavesNothing) {
  World w{ClusterBuilder().nodes(2)};
  w.submit(job().nodes(2).minutes(7));
  wire::SubmitRequest request{.spec = Cow(JobRequest(job().on("n2"))), .test_only = true};
  auto reply = std::get<wire::SubmitReply>(w.answer(request));
  EXPECT_EQ(reply.would_start, t0 + Minutes{7});
  EXPECT_EQ(reply.nodes, "n2");
  EXPECT_EQ(w.core.cluster().jobs.size(), 1u);
}

TEST(Submit, ImmediateIsRefusedRatherThanQueued) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(job());
  wire::SubmitRequest request{.spec = Cow(JobRequest(job())), .immediate = true};
  EXPECT_EQ(code_of(w.answer(request)), ErrorCode::nodes_busy);
}

TEST(Submit, PriorityAndNegativeNiceAreForOperators) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(job());
  auto as = [&](Uid who, auto member, auto value) {
    return w.try_submit(job().user(who).set(member, value), who);
  };
  EXPECT_EQ(code_of(as(kAlice, &JobRequest::nice, -5)), ErrorCode::failure);
  EXPECT_EQ(code_of(as(kAlice, &JobRequest::nice, 5)), kFine);
  EXPECT_EQ(code_of(as(kRoot, &JobRequest::nice, -5)), kFine);
  using Priority = std::optional<std::uint32_t>;
  auto priority = [&](Uid who, std::uint32_t asked) {
    auto reply = std::get<wire::SubmitReply>(as(who, &JobRequest::priority, Priority(asked)));
    return w.job(reply.job.value).priority;
  };
  EXPECT_EQ(priority(kRoot, 10), 10u);
  EXPECT_GT(priority(kAlice, 10), 10u);
  EXPECT_GT(priority(kRoot, 0), 0u) << "only --hold holds";
}

TEST(UpdateJob, KeysThatOnlyAPendingJobTakes) {
  struct Case {
    const char *key, *value;
    bool pending_only;
  };
  const Case cases[] = {
      {"TimeLimit", "3", false},
      {"Name", "x", false},
      {"Comment", "x", false},
      {"Nice", "5", false},
      {"Requeue", "0", false},
      {"MailUser", "x", false},
      {"Partition", "main", true},
      {"StartTime", "now", true},
      {"Dependency", "", true},
      {"NumNodes", "1-2", true},
      {"NumTasks", "2", true},
      {"CPUsPerTask", "2", true},
      {"MinMemoryNode", "50", true},
      {"Gres", "gpu:1", true},
      {"ReqNodeList", "n1", true},
      {"ExcNodeList", "n1", true},
      {"StdOut", "/x", true},
      {"Account", "a", true},
      {"QOS", "q", true},
      {"WorkDir", "/", true},
      {"MailType", "END", false},
      {"NodeList", "n1", true},
      {"TasksPerNode", "1", true},
      {"DelayBoot", "5", true},
  };
  for (const Case& c : cases) {
    World w{ClusterBuilder().nodes(2).gpus(1)};
    auto running = w.submit(job().minutes(60)), pending = w.submit(job().hold().minutes(60));
    EXPECT_EQ(w.update(pending, c.key, c.value), kFine) << c.key;
    EXPECT_EQ(w.update(running, c.key, c.value), c.pending_only ? ErrorCode::not_pending : kFine)
        << c.key;
  }
}

TEST(UpdateJob, KeysThatOnlyAdministratorsGive) {
  const std::pair<const char*, const char*> cases[] = {
      {"AdminComment", "x"},      {"Contiguous", "yes"}, {"OverSubscribe", "yes"}, {"Shared", "no"},
      {"Deadline", "now+2hours"}, {"SiteFactor", "5"},   {"Reboot", "no"}};
  World w{ClusterBuilder().nodes(2)};
  auto id = w.submit(job().hold().minutes(60));
  for (const auto& [key, value] : cases) {
    EXPECT_EQ(w.update(id, key, value), ErrorCode::access_denied) << key;
    EXPECT_EQ(w.update(id, key, value, kRoot), kFine) << key;
  }
}

TEST(UpdateJob, APartitionThatWouldNotHaveTakenTheJobDoesNotLater) {
  World w{ClusterBuilder()
              .nodes(1)
              .partition({.name = "main"}, 1, 1)
              .partition({.name = "admins", .root_only = true}, 1, 1)
              .partition({.name = "group", .allow_groups = "staff"}, 1, 1)
              .partition({.name = "closed", .state = PartitionState::drain}, 1, 1)};
  auto id = w.submit(job().partition("main").hold());
  for (const char* name : {"admins", "group", "closed"})
    EXPECT_EQ(w.update(id, "Partition", name), ErrorCode::failure) << name;
  EXPECT_EQ(w.update(id, "Partition", "admins,main,group"), kFine);
  EXPECT_EQ(w.job(id).partition, "main");
  EXPECT_EQ(w.update(id, "Partition", "admins", kRoot), kFine);
  EXPECT_EQ(w.update(id, "Partition", "closed", kRoot), ErrorCode::failure);
  w.host.groups = {"staff"};
  EXPECT_EQ(w.update(id, "Partition", "group"), kFine);
}

TEST(UpdateJob, ATimeLimitStaysWithinWhatItsUserMayHave) {
  World w{ClusterBuilder().nodes(1).partition({.name = "quick", .max_time = Minutes{30}}, 1, 1)};
  auto id = w.submit(job().partition("quick").hold().minutes(10));
  EXPECT_EQ(w.update(id, "TimeLimit", "-11"), ErrorCode::failure);
  EXPECT_EQ(w.update(id, "TimeLimit", "31"), ErrorCode::access_denied);
  EXPECT_EQ(w.update(id, "TimeLimit", "30"), kFine);
  EXPECT_EQ(w.job(id).time_limit, Minutes{30});
}

TEST(UpdateJob, ChangesWhatItSays) {
  World w{ClusterBuilder().nodes(2)};
  auto id = w.submit(job().hold().minutes(60));
  w.update(id, "TimeLimit", "10");
  EXPECT_EQ(w.job(id).time_limit, Minutes{10});
  w.update(id, "TimeLimit", "+5");
  EXPECT_EQ(w.job(id).time_limit, Minutes{15});
  w.update(id, "timelimit", "-5");
  EXPECT_EQ(w.job(id).time_limit, Minutes{10});
  w.update(id, "JobName", "new");
  EXPECT_EQ(w.job(id).own.name, "new");
  w.update(id, "NumNodes", "2");
  EXPECT_EQ(w.job(id).spec->min_nodes, 2u);
  w.update(id, "MinMemoryCPU", "100");
  EXPECT_EQ(w.job(id).spec->memory_per_cpu_mib, 100u);
  EXPECT_EQ(w.job(id).spec->memory_per_node_mib, std::nullopt);
}

TEST(UpdateJob, PriorityZeroHoldsUntilTheJobIsReleased) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(job());
  auto id = w.submit(job());
  EXPECT_EQ(w.update(id, "Priority", "0", kRoot), kFine);
  EXPECT_EQ(w.job(id).hold, Hold::admin);
  EXPECT_EQ(w.update(id, "Priority", "7", kRoot), ErrorCode::failure);
  EXPECT_EQ(first_error(w.act(wire::JobAction::release, id, kRoot)), kFine);
  EXPECT_EQ(w.update(id, "Priority", "0"), kFine);
  EXPECT_EQ(w.job(id).hold, Hold::user);
}

TEST(UpdateJob, TopMakesAJobTheFirstOfItsOwner) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(job());
  auto first = w.submit(job()), second = w.submit(job()), third = w.submit(job());
  auto bobs = w.submit(job().user(kBob), kBob);
  std::uint32_t highest = w.job(first).priority, middle = w.job(second).priority,
                lowest = w.job(third).priority, other = w.job(bobs).priority;
  EXPECT_EQ(first_error(w.act(wire::JobAction::top, third)), ErrorCode::access_denied);
  EXPECT_EQ(first_error(w.act(wire::JobAction::top, third, kRoot)), kFine);
  EXPECT_EQ(w.job(third).priority, highest);
  EXPECT_EQ(w.job(first).priority, middle);
  EXPECT_EQ(w.job(second).priority, lowest);
  EXPECT_EQ(w.job(bobs).priority, other);
  EXPECT_EQ(w.job(third).spec->nice, -2);
}

TEST(UpdateJob, TopPassesJobsOfTheSamePriority) {
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) {
    s.priority.multifactor = true;
    s.priority.job_size = 1000;
    s.user_top = true;
  })};
  w.submit(job());
  auto first = w.submit(job()), second = w.submit(job());
  EXPECT_EQ(first_error(w.act(wire::JobAction::top, second, kBob)), ErrorCode::access_denied);
  EXPECT_EQ(first_error(w.act(wire::JobAction::top, second)), kFine) << "enable_user_top";
  EXPECT_EQ(w.job(first).spec->nice, 1);
  EXPECT_EQ(w.job(second).spec->nice, 0);
}

TEST(UpdateJob, AReleaseForgetsAPriorityThatWasSet) {
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) { s.priority.multifactor = true; })};
  w.submit(job());
  auto id = w.submit(job());
  EXPECT_EQ(w.update(id, "Priority", "500", kRoot), kFine);
  EXPECT_TRUE(w.job(id).priority_fixed);
  w.act(wire::JobAction::hold, id, kRoot);
  w.act(wire::JobAction::release, id, kRoot);
  EXPECT_FALSE(w.job(id).priority_fixed) << "it is made of its factors again";
}

TEST(UpdateJob, NiceLowersThePriority) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(job());
  auto id = w.submit(job().set(&JobRequest::nice, 10));
  std::uint32_t priority = w.job(id).priority;
  EXPECT_EQ(w.update(id, "Nice", "4"), kFine);
  EXPECT_EQ(w.job(id).priority, priority + 6);
}

TEST(UpdateJob, AnotherPartitionBringsItsTimeLimit) {
  Partition shorter{.name = "short"};
  shorter.max_time = Minutes{10};
  World w{ClusterBuilder().nodes(1).partition({.name = "main"}, 1, 1).partition(shorter, 1, 1)};
  auto id = w.submit(job().hold());
  EXPECT_EQ(w.update(id, "Partition", "short"), kFine);
  EXPECT_EQ(w.job(id).time_limit, Minutes{10});
}

TEST(UpdateJob, OnlyASuspendedJobIsResumed) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  auto reply = w.act(wire::JobAction::resume, id, kRoot);
  ASSERT_EQ(reply.errors.size(), 1u);
  EXPECT_EQ(reply.errors[0].second.text(), "Job is not suspended");
}

TEST(UpdateJob, NiceMovesAJobFromThePlaceThatItHas) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(job());
  auto held = w.submit(job().hold()), last = w.submit(job());
  EXPECT_EQ(first_error(w.act(wire::JobAction::release, held)), kFine);
  const std::uint32_t released = w.job(held).priority;
  EXPECT_LT(released, w.job(last).priority) << "it queues up behind the others";
  EXPECT_EQ(w.update(held, "Nice", "5"), kFine);
  EXPECT_EQ(w.job(held).priority, released - 5);
  EXPECT_EQ(w.update(held, "Nice", "0"), kFine);
  EXPECT_EQ(w.job(held).priority, released);
}

TEST(UpdateJob, LimitsAndPrioritiesAreRaisedByOperatorsOnly) {
  World w{ClusterBuilder().nodes(1)};
  auto running = w.submit(job().minutes(10)), pending = w.submit(job().minutes(10));
  EXPECT_EQ(w.update(running, "TimeLimit", "11"), ErrorCode::access_denied);
  EXPECT_EQ(w.update(running, "TimeLimit", "9"), kFine);
  EXPECT_EQ(w.update(running, "TimeLimit", "20", kRoot), kFine);
  EXPECT_EQ(w.update(pending, "TimeLimit", "20"), kFine);
  EXPECT_EQ(w.update(pending, "Priority", "4294967290"), ErrorCode::access_denied);
  EXPECT_EQ(w.update(pending, "Priority", "7"), ErrorCode::failure) << "nice is for that";
  EXPECT_EQ(w.update(pending, "Priority", "7", kRoot), kFine);
  EXPECT_EQ(w.job(pending).priority, 7u);
  EXPECT_EQ(w.update(pending, "Nice", "-5"), ErrorCode::access_denied);
  EXPECT_EQ(w.update(pending, "Nice", "-5", kRoot), kFine);
}

TEST(UpdateJob, RefusesBadValuesAndForeignJobs) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job().hold());
  Cluster before = w.core.cluster();
  EXPECT_EQ(w.update(id, "TimeLimit", "abc"), ErrorCode::invalid_time_limit);
  EXPECT_EQ(w.update(id, "Partition", "none"), ErrorCode::invalid_partition);
  EXPECT_EQ(w.update(id, "Dependency", "afterok:x"), ErrorCode::dependency);
  EXPECT_EQ(w.update(id, "NumNodes", "2-1"), ErrorCode::failure);
  EXPECT_EQ(w.update(id, "CPUsPerTask", "9"), ErrorCode::requested_node_config_unavailable);
  EXPECT_EQ(w.update(id, "ReqNodeList", "n9"), ErrorCode::invalid_node_name);
  EXPECT_EQ(w.update(id, "Gres", "gpu:x:y:z"), ErrorCode::invalid_gres);
  EXPECT_EQ(w.update(id, "Switches", "x"), ErrorCode::failure);
  EXPECT_EQ(w.update(id, "NoSuchKey", "1"), ErrorCode::not_supported_yet);
  EXPECT_EQ(w.update(id, "Comment", "x", kBob), ErrorCode::user_id_missing);
  EXPECT_EQ(w.update(99, "Comment", "x"), ErrorCode::invalid_job_id);
  EXPECT_EQ(w.core.cluster(), before);
}

TEST(UpdateJob, AThrottleThatIsRaisedLetsTasksStart) {
  World w{ClusterBuilder().nodes(4)};
  auto id = w.submit(job().array("0-3%1"));
  EXPECT_EQ(w.job(id).waiting_tasks.size(), 3u);
  EXPECT_EQ(w.update(id, "ArrayTaskThrottle", "3"), kFine);
  EXPECT_EQ(w.core.cluster().active.size(), 3u);
}

}  // namespace
}  // namespace muster::controller
