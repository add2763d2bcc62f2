// A journal of the first release: later versions must read it and come to the same state.
#include <gtest/gtest.h>

#include <fstream>

#include "base/codec/codec.h"
#include "builders.h"
#include "state/invariants.h"

namespace muster {
namespace {

using namespace muster::test;

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return bytes;
}

struct Line {
  std::string kind, bytes;
};

std::vector<Line> golden_lines() {
  std::ifstream file(MUSTER_UNIT_TESTS "/state/golden_journal.txt");
  EXPECT_TRUE(file) << "golden_journal.txt lies next to this file";
  std::vector<Line> lines;
  for (std::string text; std::getline(file, text);) {
    if (text.empty() || text.starts_with('#')) continue;
    auto space = text.find(' ');
    lines.push_back({text.substr(0, space), from_hex(text.substr(space + 1))});
  }
  return lines;
}

Cluster golden_cluster() {
  Cluster cluster;
  for (const Line& line : golden_lines()) {
    auto entry = decode<EventEntry>(line.bytes);
    if (!entry) {
      ADD_FAILURE() << line.kind << " cannot be read any more";
      break;
    }
    muster::apply(cluster, entry->event);
  }
  return cluster;
}

TEST(GoldenJournal, EveryEventReadsAndIsWrittenAsItWas) {
  auto lines = golden_lines();
  EXPECT_EQ(lines.size(), 22u);
  for (const Line& line : lines) {
    auto entry = decode<EventEntry>(line.bytes);
    ASSERT_TRUE(entry) << line.kind;
    EXPECT_EQ(encode(*entry), line.bytes) << line.kind;
  }
}

TEST(GoldenJournal, LeadsToASoundState) {
  EXPECT_EQ(broken_invariants(golden_cluster()), std::vector<std::string>{});
}

TEST(GoldenJournal, NodesAndPartitionsAreAsDescribed) {
  Cluster c = golden_cluster();
  EXPECT_EQ(c.epoch, Epoch{1});
  EXPECT_EQ(c.settings().cluster_name, "test");
  ASSERT_EQ(c.nodes.size(), 2u);
  const Node &one = *c.find_node("n1"), &two = *c.find_node("n2");
  EXPECT_TRUE(one.drain);
  EXPECT_EQ(one.reason, "disk");
  EXPECT_EQ(one.config.weight, 0u);
  EXPECT_TRUE(one.jobs.empty());
  EXPECT_EQ(one.config.gres.at(0).indices.text(), "0-1");
  EXPECT_EQ(two.health, NodeHealth::up);
  EXPECT_EQ(two.facts.boot_id, "boot");
  EXPECT_EQ(two.used_cpus.text(), "0");
  EXPECT_EQ(two.used_memory_mib, 16000u);
  EXPECT_TRUE(two.completing.contains(3));
  EXPECT_EQ(c.default_partition()->name, "main");
  EXPECT_EQ(c.default_partition()->state, PartitionState::down);
}

TEST(GoldenJournal, JobsAreAsDescribed) {
  Cluster c = golden_cluster();
  ASSERT_EQ(c.jobs.size(), 5u);
  EXPECT_EQ(c.next_job_id, JobId{6});
  EXPECT_EQ(c.pending.text(), "1-2,4");
  EXPECT_EQ(c.active.text(), "3");
  const Job& array = c.jobs.at(JobId{1});
  EXPECT_EQ(job_name(array), "1_[1-2%1]");
  EXPECT_EQ(array.own.name, "array");
  EXPECT_EQ(array.spec->uid, kAlice);
  const Job& task = c.jobs.at(JobId{2});  // ran, failed, was requeued and held
  EXPECT_EQ(task.task_id, 0u);
  EXPECT_EQ(task.attempt, Attempt{1});
  EXPECT_EQ(task.restarts, 1u);
  EXPECT_EQ(task.hold, Hold::admin);
  EXPECT_EQ(task.eligible, t0 + Seconds{7});
  const Job& allocation = c.jobs.at(JobId{3});
  EXPECT_EQ(allocation.spec->kind, JobKind::allocation);
  EXPECT_TRUE(allocation.run->batch_done);
  EXPECT_EQ(allocation.run->started, t0 + Seconds{3});
  EXPECT_EQ(allocation.run->ending->becomes, JobState::timeout);
  EXPECT_EQ(allocation.run->steps.at(StepId{0}).name, "hostname");
  EXPECT_EQ(allocation.run->next_step, 1u);
  const Job& released = c.jobs.at(JobId{4});
  EXPECT_EQ(released.hold, Hold::none);
  EXPECT_EQ(released.priority, 50u);
  const Job& cancelled = c.jobs.at(JobId{5});
  EXPECT_EQ(cancelled.state, JobState::cancelled);
  EXPECT_EQ(cancelled.run->ending->by, kBob);
}

}  // namespace
}  // namespace muster
