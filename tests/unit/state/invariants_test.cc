// Each check can fail: a fault is planted in a sound state, and the check must name it.
#include "state/invariants.h"

#include <gtest/gtest.h>

#include "state/scenario.h"

namespace muster {
namespace {

using namespace muster::test;

// Jobs: 1 runs on n1 and n2 with a GPU on each, 2 waits, 3 waits as an array, 4 completes on n3.
Cluster sound() {
  NodeShare one = share_of(1, 0, 3, 500), two = share_of(2, 0, 3, 500);
  one.gres =
      two.gres = {{.name = "gpu", .type = "v100", .count = 1, .indices = IdSet::range(0, 0)}};
  ClusterBuilder b;
  b.nodes(3).gpus(2).running(job(), {one, two}).pending(1).pending(job().array("0-3"));
  b.running(job(), {share_of(3, 0, 0)});
  b.event(JobEnded{.job = JobId{4}, .at = t0, .reason = {}});
  return b.build();
}

struct Fault {
  const char* expected;  // a part of the message
  void (*plant)(Cluster&);
};

const Fault kFaults[] = {
    {"job 1 is remembered but has not gone",
     [](Cluster& c) { c.outcomes.put(JobId{1}, outcome_of(c.jobs.at(JobId{1}))); }},
    {"task 7 of array 3 is not known by its number",
     [](Cluster& c) {
       Job& job = c.jobs.edit(JobId{2});
       job.array_id = JobId{3};
       job.task_id = 7;
     }},
    {"goes off but jobs 1 hold it",
     [](Cluster& c) { c.nodes.edit(NodeId{1}).power.phase = PowerPhase::powering_down; }},
    {"node n2 is not known by its name", [](Cluster& c) { c.node_ids.edit().erase("n2"); }},
    {"3 nodes in order, but 4 names", [](Cluster& c) { c.node_ids.edit()["n9"] = NodeId{9}; }},
    {"is not below the next id", [](Cluster& c) { c.next_job_id = JobId{2}; }},
    {"set of pending jobs disagree", [](Cluster& c) { c.pending.erase(2); }},
    {"set of pending jobs disagree", [](Cluster& c) { c.pending.insert(1); }},
    {"set of active jobs disagree", [](Cluster& c) { c.active.erase(1); }},
    {"set of active jobs disagree", [](Cluster& c) { c.active.erase(4); }},
    {"set of active jobs disagree", [](Cluster& c) { c.active.insert(2); }},
    {"array record 3 runs", [](Cluster& c) { c.jobs.edit(JobId{3}).state = JobState::running; }},
    {"job 1 runs on nothing",
     [](Cluster& c) { c.jobs.edit(JobId{1}).run.edit().allocation.clear(); }},
    {"pending job 2 holds nodes",
     [](Cluster& c) { c.jobs.edit(JobId{2}).run.edit().unfinished.insert(NodeId{3}); }},
    {"CPUs 0-3 of node 1 are held twice",
     [](Cluster& c) {
       Job& job = c.jobs.edit(JobId{1});
       job.run.edit().allocation.push_back(job.run->allocation[0]);
     }},
    {"gpu 0 of node 1 is held twice",
     [](Cluster& c) {
       Job& job = c.jobs.edit(JobId{1});
       job.run.edit().allocation.push_back(job.run->allocation[0]);
       job.run.edit().allocation.back().cpus = IdSet::range(7, 7);
     }},
    {"components 1 and 2 do not wait together",
     [](Cluster& c) {
       for (std::uint32_t i : {0u, 1u}) {
         Job& job = c.jobs.edit(JobId{i + 1});
         job.het_id = JobId{1};
         job.het_offset = i;
         job.het_size = 2;
       }
     }},
    {"component 2 goes on without 1",
     [](Cluster& c) {
       for (std::uint32_t i : {0u, 1u}) {
         Job& job = c.jobs.edit(JobId{i + 1});
         job.het_id = JobId{1};
         job.het_offset = i;
         job.het_size = 2;
         job.state = i == 0 ? JobState::completed : JobState::running;
       }
     }},
    {"is not component 1 of 4",
     [](Cluster& c) {
       Job& job = c.jobs.edit(JobId{4});
       job.het_id = JobId{4};
       job.het_offset = 1;
       job.het_size = 1;
     }},
    {"used CPUs", [](Cluster& c) { c.nodes.edit(NodeId{1}).used_cpus.erase(0); }},
    {"used memory", [](Cluster& c) { c.nodes.edit(NodeId{1}).used_memory_mib = 1; }},
    {"hold something", [](Cluster& c) { c.nodes.edit(NodeId{1}).jobs = {}; }},
    {"completing", [](Cluster& c) { c.nodes.edit(NodeId{3}).completing = {}; }},
    {"completing", [](Cluster& c) { c.nodes.edit(NodeId{1}).completing.insert(1); }},
    {"MiB held of", [](Cluster& c) { c.nodes.edit(NodeId{1}).config.memory_mib = 499; }},
    {"CPU 3 of 3", [](Cluster& c) { c.nodes.edit(NodeId{1}).config.cpus = 3; }},
    {"1 gpu held of 0", [](Cluster& c) { c.nodes.edit(NodeId{2}).config.gres.clear(); }},
};

TEST(Invariants, ASoundStateHasNoBrokenOnes) {
  EXPECT_EQ(broken_invariants(sound()), std::vector<std::string>{});
  EXPECT_EQ(broken_invariants(Cluster{}), std::vector<std::string>{});
}

TEST(Invariants, EachPlantedFaultIsNamed) {
  for (std::size_t i = 0; i < std::size(kFaults); ++i) {
    Cluster cluster = sound();
    kFaults[i].plant(cluster);
    auto broken = broken_invariants(cluster);
    EXPECT_TRUE(std::ranges::any_of(
        broken,
        [&](const std::string& text) { return text.find(kFaults[i].expected) != text.npos; }))
        << "fault " << i << ": " << kFaults[i].expected << ", found "
        << (broken.empty() ? "nothing" : broken.front());
  }
}

TEST(Invariants, MemoryIsOnlyBoundedWhereItIsCounted) {
  Cluster cluster = sound();
  cluster.nodes.edit(NodeId{1}).config.memory_mib = 499;
  cluster.config.edit().settings.memory_is_consumable = false;
  EXPECT_EQ(broken_invariants(cluster), std::vector<std::string>{});
}

// A held device must exist on the node; a small enough number is not sufficient.
TEST(Invariants, ADeviceThatTheNodeDoesNotHaveIsNamed) {
  Cluster cluster = sound();
  auto planted = IdSet::range(9, 9);
  cluster.jobs.edit(JobId{1}).run.edit().allocation[0].gres[0].indices = planted;
  cluster.nodes.edit(NodeId{1}).used_gres[0].indices = planted;
  EXPECT_FALSE(broken_invariants(cluster).empty());
}

// The scheduler computes free devices from the node's own sums.
TEST(Invariants, UsedDevicesThatDisagreeWithTheJobsAreNamed) {
  Cluster cluster = sound();
  cluster.nodes.edit(NodeId{1}).used_gres.clear();
  EXPECT_FALSE(broken_invariants(cluster).empty());
}

}  // namespace
}  // namespace muster
