// A history that uses every kind of event, for tests of journals, snapshots and codecs.
#pragma once

#include "builders.h"

namespace muster::test {

inline NodeShare share_of(std::uint32_t node, std::uint32_t first, std::uint32_t last,
                          std::uint64_t memory = 100) {
  return {.node = NodeId{node},
          .cpus = IdSet::range(first, last),
          .memory_mib = memory,
          .tasks = 1,
          .gres = {}};
}

inline ClusterBuilder eventful() {
  ClusterBuilder b;
  b.nodes(3).gpus(2).features({"fast"});
  b.partition({.name = "main", .max_time = Minutes{600}}, 1, 3);
  b.event(NodeRegistered{.node = NodeId{1}, .facts = {.boot_id = "b1", .cpus = 8}, .at = t0});
  b.pending(job().array("0-3%2"));              // 1
  b.split(1, 0).start(2, {share_of(1, 0, 1)});  // 2 = 1_0
  NodeShare with_gpu = share_of(2, 0, 3);
  with_gpu.gres.push_back(
      {.name = "gpu", .type = "v100", .count = 1, .indices = IdSet::range(1, 1)});
  b.running(job().name("gpu"), {with_gpu, share_of(3, 2, 5)});  // 3
  Step step;
  step.id = StepId{0};
  step.name = "hostname";
  step.num_tasks = 2;
  step.nodes = {{.node = NodeId{2}, .ranks = {0}, .share = with_gpu},
                {.node = NodeId{3}, .ranks = {1}, .share = share_of(3, 2, 5)}};
  step.unfinished = {NodeId{2}, NodeId{3}};
  step.started = t0;
  b.event(StepCreated{.job = JobId{3}, .step = step});
  b.event(StepNodeEnded{.job = JobId{3},
                        .attempt = Attempt{1},
                        .step = StepId{0},
                        .node = NodeId{2},
                        .exit_status = 256,
                        .usage = {.user_cpu_us = 5},
                        .at = t0 + Seconds{5}});
  for (std::uint32_t number : {1u, 2u}) {
    Step queued;
    queued.id = StepId{number};
    queued.state = JobState::pending;
    queued.request = "how it is to run";
    b.event(StepQueued{.job = JobId{3}, .step = queued});
  }
  b.event(JobShrunk{
      .job = JobId{3}, .attempt = Attempt{1}, .nodes = {NodeId{3}}, .at = t0 + Seconds{5}});
  b.event(StepDequeued{.job = JobId{3}, .step = StepId{1}});
  b.event(StepLimitChanged{.job = JobId{3}, .steps = {StepId{2}}, .time_limit = Minutes{7}});
  b.event(JobSuspended{.job = JobId{3}, .at = t0 + Seconds{6}});
  b.event(JobSuspended{.job = JobId{3}, .resumed = true, .at = t0 + Seconds{9}});
  b.event(JobPrepared{.job = JobId{3}, .attempt = Attempt{1}});
  b.event(JobWarned{.job = JobId{3}, .at = t0 + Seconds{10}});
  b.event(JobMailed{.job = JobId{3}, .types = kMailTimeLimit50, .at = t0 + Seconds{10}});
  b.event(JobPreempted{.job = JobId{3},
                       .preemption = {.by = JobId{9}, .since = t0, .kill_at = t0 + Minutes{9}}});
  b.pending(job().hold()).pending(job()).pending(job());  // 4, 5, 6
  b.event(JobsHeld{.jobs = IdSet::range(4, 4), .hold = Hold::none, .priority = 77});
  b.event(JobsAccruing{.jobs = IdSet::range(4, 5), .at = t0});
  b.event(PrioritiesReached{.jobs = {{JobId{4}, 77}}});
  b.event(PendingJobsEnded{.jobs = IdSet::range(5, 6), .by = kAlice, .at = t0, .reason = {}});
  b.event(JobsPurged{.jobs = IdSet::range(6, 6), .remembered = IdSet::range(5, 5)});
  b.event(TasksCancelled{.array = JobId{1}, .tasks = IdSet::range(3, 3)});
  b.event(JobsEnding{.jobs = IdSet::range(2, 2),
                     .ending = {.by = kAlice, .since = t0, .requeue = true}});
  b.released(2);
  b.event(JobRequeued{.job = JobId{2}, .at = t0, .eligible = t0 + Seconds{1}});
  b.event(JobEnded{
      .job = JobId{3}, .state = JobState::failed, .exit_status = 256, .at = t0, .reason = "x"});
  b.updated(4, [](Job& job) {
    job.own.name = "new name";
    job.spec.edit().hold = false;
    job.spec.edit().time_limit = job.time_limit = Minutes{9};
    job.priority = 5;
    job.account = "a";
  });
  b.event(PartitionChanged{.partition = {.name = "extra", .nodes = {NodeId{2}}}});
  b.event(PartitionChanged{.partition = {.name = "gone"}});
  b.event(PartitionChanged{.partition = {.name = "gone"}, .removed = true});
  b.event(ReservationChanged{.reservation = {.name = "maint",
                                             .start = t0,
                                             .end = t0 + Minutes{60},
                                             .nodes = {NodeId{2}},
                                             .users = {"alice"},
                                             .flags = {"MAINT"},
                                             .number = 1}});
  b.event(EpilogOwed{{.job = JobId{2}, .attempt = Attempt{1}, .environment = {"A=b"}}});
  b.event(EpilogOwed{{.job = JobId{3}, .attempt = Attempt{1}}});
  b.event(EpilogEnded{.job = JobId{3}, .attempt = Attempt{1}});
  b.account("acc", {}, "GrpTRES=cpu=4").user("acc", "alice").user("acc", "bob");
  b.event(AssociationChanged{.association = {.key = {.account = "acc", .user = "bob"}},
                             .removed = true});
  b.used("acc", "alice", 60);
  b.event(UsageCounted{.as_of = t0 + Seconds{1}, .reset = true});
  b.charged({.qos = "q", .association = {}}, 30, t0 + Seconds{2});
  for (const char* name : {"z1", "z2"}) {
    NodeConfig stranger;
    stranger.name = name;
    stranger.dynamic = true;
    b.event(NodeAdded{.config = stranger, .partitions = {"main"}});
  }
  b.event(NodeRemoved{.node = NodeId{5}});
  b.event(ClockStepped{.by = Minutes{60}});
  const NodeReason reason{.text = "broken", .by = kRoot, .at = t0};
  const NodeId first{1}, second{2}, third{3};
  b.event(NodeUpdated{.node = first, .comment = "rack 7", .weight = 9});
  b.event(NodeDrained{.node = first, .reason = reason});
  b.event(NodeUndrained{.node = first, .reason = NodeReason{}});
  b.event(NodeFellSilent{first});
  b.event(NodeWentDown{.node = first, .reason = reason});
  b.event(NodeAnswered{first});
  b.event(NodeResumed{.node = first, .responding = true});
  b.event(NodeRebootAsked{.node = second, .asap = true, .next_state = "RESUME", .at = t0});
  b.event(NodeRebootIssued{.node = second, .at = t0 + Seconds{1}});
  b.event(NodeRebootEnded{.node = second, .undrains = true});
  b.event(NodePowerDownAsked{.node = third});
  b.event(NodePowerChanged{.node = third, .phase = PowerPhase::off, .at = t0});
  b.event(NodeMadeFuture{third});
  b.event(NodeClaimed{.node = third, .by = {.hostname = "host3", .address = "10.0.0.3"}});
  b.event(QosChanged{.qos = {.name = "site", .priority = 3}});
  b.event(QosChanged{.qos = {.name = "gone"}});
  b.event(QosChanged{.qos = {.name = "gone"}, .removed = true});
  b.event(UserAccessChanged{.access = {.user = "alice",
                                       .admin_level = AdminLevel::operates,
                                       .wckeys = {"k1", "k2"},
                                       .default_wckey = "k2"}});
  b.event(UserAccessChanged{.access = {.user = "bob", .wckeys = {"k1"}}});
  b.event(UserAccessChanged{.access = {.user = "bob"}});
  b.event(CoordinatorsChanged{.coordinators = {.account = "acc", .users = {"alice"}}});
  b.event(TriggerChanged{.trigger = {.id = 1, .job = JobId{1}, .program = "/bin/true"}});
  b.event(TriggerChanged{
      .trigger = {.id = 2, .event = TriggerEvent::node_down, .program = "/bin/true now"}});
  b.event(TriggerChanged{.trigger = {.id = 1}, .removed = true});
  b.event(JobNoticed{.job = JobId{3}, .limit = t0 + Seconds{11}});
  b.event(GraceExtended{.job = JobId{3}, .by = Seconds{60}});
  return b;
}

}  // namespace muster::test
