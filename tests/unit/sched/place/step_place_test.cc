// A step's share of its job: what it takes, when it must wait, and when it can never start.
#include "sched/place/step_place.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "sched/place/place.h"

namespace muster::sched::step_place_test {
namespace {

NodeShare held(std::uint32_t node, std::uint32_t cpus, std::uint64_t memory = 4000,
               std::uint32_t gpus = 0) {
  NodeShare share{.node = NodeId{node}, .cpus = IdSet::range(0, cpus - 1), .memory_mib = memory};
  if (gpus)
    share.gres.push_back(
        {.name = "gpu", .type = "v100", .count = gpus, .indices = IdSet::range(0, gpus - 1)});
  return share;
}

StepDemand tasks(std::uint32_t count, std::uint32_t nodes = 1) {
  StepDemand demand;
  demand.tasks = count;
  demand.min_nodes = demand.max_nodes = nodes;
  return demand;
}
StepDemand exact(std::uint32_t count, std::uint32_t nodes = 1) {
  StepDemand demand = tasks(count, nodes);
  demand.exact = true;
  demand.counts_memory = false;
  demand.gres_per_node.emplace();
  return demand;
}

std::vector<NodeShare> shares(const std::vector<StepNode>& nodes) {
  std::vector<NodeShare> list;
  for (const StepNode& node : nodes) list.push_back(node.share);
  return list;
}

// "1:0,1 2:2": the ranks on each node.
std::string ranks(const Result<std::vector<StepNode>>& nodes) {
  if (!nodes) return nodes.error().text();
  std::string out;
  for (const StepNode& node : *nodes) {
    if (!out.empty()) out += ' ';
    out += std::to_string(node.node.value) + ":";
    for (std::size_t i = 0; i < node.ranks.size(); ++i)
      out += (i ? "," : "") + std::to_string(node.ranks[i]);
  }
  return out;
}

TEST(StepPlace, TakesAllOfItsNodesUnlessExact) {
  std::vector<NodeShare> job{held(1, 4, 4000, 4)};
  auto whole = place_step(job, {}, tasks(1));
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->front().share.cpus.size(), 4u);
  EXPECT_EQ(whole->front().share.gres, job.front().gres);
  auto small = place_step(job, {}, exact(2));
  ASSERT_TRUE(small);
  EXPECT_EQ(small->front().share.cpus, IdSet::range(0, 1));
  EXPECT_TRUE(small->front().share.gres.empty());
}

TEST(StepPlace, GpusMayBringOtherNumbersOfCpusToEachNode) {
  std::vector<NodeShare> job{held(1, 8, 4000, 4), held(2, 4, 4000, 2)};
  StepDemand demand = exact(2, 2);
  demand.gpus_total = {{"gpu", {}, 6}};
  demand.cpus_per_gpu = 2;
  auto step = place_step(job, {}, demand);
  EXPECT_EQ(ranks(step), "1:0 2:1");
  ASSERT_TRUE(step);
  EXPECT_EQ(step->front().share.cpus.size(), 8u);
  EXPECT_EQ(step->back().share.cpus.size(), 4u);
  demand.tasks = 6;
  EXPECT_EQ(ranks(place_step(job, {}, demand)), "1:0,1,2 2:3,4,5");
  demand.cpus_per_gpu = 3;
  EXPECT_FALSE(place_step(job, {}, demand));
}

// Two threads of each core; `usable` of them for tasks.
StepDemand on_cores(StepDemand demand, std::uint32_t usable, std::size_t nodes = 1) {
  demand.cores.assign(nodes, {.threads = 2, .usable = usable});
  return demand;
}

TEST(StepPlace, HandsOutWholeCores) {
  std::vector<NodeShare> job{held(1, 6)};
  auto cpus = [&](std::uint32_t count, std::uint32_t usable) {
    auto step = place_step(job, {}, on_cores(exact(count), usable));
    return step ? step->front().share.cpus.size() : 0;
  };
  EXPECT_EQ(cpus(1, 2), 2u);
  EXPECT_EQ(cpus(3, 2), 4u);
  EXPECT_EQ(cpus(2, 1), 4u);
  EXPECT_EQ(cpus(3, 1), 6u);
  EXPECT_EQ(ranks(place_step(job, {}, on_cores(exact(4), 1))),
            "More processors requested than permitted");
}

TEST(StepPlace, CountsCoresWhereTasksUseOneThread) {
  StepDemand demand = on_cores(tasks(4), 1, 2);
  demand.max_nodes = 2;
  EXPECT_EQ(ranks(place_step({held(1, 6), held(2, 2)}, {}, demand)), "1:0,1,2 2:3");
}

TEST(StepPlace, TakesMemoryByGpus) {
  std::vector<NodeShare> job{held(1, 4, 4000, 4)};
  StepDemand demand = exact(1);
  demand.counts_memory = true;
  demand.memory_per_gpu_mib = 300;
  demand.gres_per_node = std::vector{GresRequest{.name = "gpu", .count = 2}};
  auto step = place_step(job, {}, demand);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->front().share.memory_mib, 600u);
  demand.gres_per_node.reset();
  demand.gpus_total = {{"gpu", {}, 3}};
  step = place_step(job, {}, demand);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->front().share.memory_mib, 900u);
  demand.memory_per_gpu_mib = 5000;
  EXPECT_FALSE(place_step(job, {}, demand));
}

TEST(StepPlace, GpusOfSeveralTypesAreCountedEach) {
  NodeShare node = held(1, 4, 4000, 2);
  node.gres.front().type = "v100";
  node.gres.push_back({.name = "gpu", .type = "a100", .count = 2, .indices = IdSet::range(2, 3)});
  StepDemand demand = exact(1);
  demand.gpus_total = {{"gpu", "v100", 1}, {"gpu", "a100", 2}};
  auto step = place_step({node}, {}, demand);
  ASSERT_TRUE(step);
  ASSERT_EQ(step->front().share.gres.size(), 2u);
  EXPECT_EQ(step->front().share.gres[0].indices.text(), "0");
  EXPECT_EQ(step->front().share.gres[1].indices.text(), "2-3");
  demand.gpus_total[1].count = 3;
  EXPECT_FALSE(place_step({node}, {}, demand));
  demand = exact(2);
  demand.gpus_per_task = {{"gpu", "v100", 1}, {"gpu", "a100", 1}};
  EXPECT_TRUE(place_step({node}, {}, demand));
}

TEST(StepPlace, WaitsForResourcesOfOtherSteps) {
  std::vector<NodeShare> job{held(1, 4, 4000, 4)};
  auto first = place_step(job, {}, exact(3));
  ASSERT_TRUE(first);
  EXPECT_EQ(ranks(place_step(job, shares(*first), exact(2))), "Requested nodes are busy");
  EXPECT_EQ(ranks(place_step(job, shares(*first), tasks(1))), "Requested nodes are busy");
  auto last = place_step(job, shares(*first), exact(1));
  ASSERT_TRUE(last);
  EXPECT_EQ(last->front().share.cpus, IdSet::range(3, 3));
}

TEST(StepPlace, FourStepsGetFourGpus) {
  std::vector<NodeShare> job{held(1, 8, 4000, 4)};
  std::vector<NodeShare> used;
  StepDemand demand = exact(1);
  demand.gres_per_node = {{"gpu", {}, 1}};
  demand.memory_per_node_mib = 1000;
  demand.counts_memory = true;
  for (std::uint32_t i = 0; i < 4; ++i) {
    auto step = place_step(job, used, demand);
    ASSERT_TRUE(step);
    EXPECT_EQ(step->front().share.gres.front().indices, IdSet::range(i, i));
    used.push_back(step->front().share);
  }
  EXPECT_EQ(ranks(place_step(job, used, demand)), "Requested nodes are busy");
}

TEST(StepPlace, LaysRanksAsTheReferenceDoes) {
  struct Case {
    const char* what;
    const char* distribution;
    std::uint32_t tasks;
    std::vector<NodeShare> job;
    const char* expected;
  };
  const std::vector<NodeShare> uneven{held(1, 7), held(2, 1)}, even{held(1, 4), held(2, 4)};
  for (const Case& c : std::vector<Case>{
           {"all", "block", 8, uneven, "1:0,1,2,3,4,5,6 2:7"},
           {"half", "block", 4, uneven, "1:0,1,2 2:3"},
           {"cyclic", "cyclic", 4, uneven, "1:0,2,3 2:1"},
           {"plane", "plane=2", 4, uneven, "1:0,1,3 2:2"},
           {"even", "block", 4, even, "1:0,1 2:2,3"},
           {"odd", "block", 3, even, "1:0,1 2:2"},
           {"pack", "block,pack", 4, even, "1:0,1,2 2:3"},
           {"plane", "plane=2", 6, even, "1:0,1,4,5 2:2,3"},
           {"plane of few", "plane=2", 2, even, "1:0 2:1"},
           {"too many", "block", 9, even, "More processors requested than permitted"}}) {
    StepDemand demand = tasks(c.tasks, 2);
    demand.distribution = *parse_distribution(c.distribution);
    EXPECT_EQ(ranks(place_step(c.job, {}, demand)), c.expected) << c.what;
  }
}

TEST(StepPlace, OvercommitGoesRoundTheCpusAgain) {
  StepDemand demand = tasks(9, 2);
  demand.overcommit = true;
  auto nodes = place_step({held(1, 7), held(2, 1)}, {}, demand);
  ASSERT_TRUE(nodes);
  EXPECT_EQ(nodes->at(0).ranks.size(), 8u);
  EXPECT_EQ(nodes->at(1).ranks.size(), 1u);
}

TEST(StepPlace, PrefersTheNodeWithMoreRoom) {
  std::vector<NodeShare> job{held(1, 4), held(2, 4)};
  auto first = place_step(job, {}, exact(3));
  ASSERT_TRUE(first);
  EXPECT_EQ(ranks(first), "1:0,1,2");
  EXPECT_EQ(ranks(place_step(job, shares(*first), exact(1))), "2:0");
}

TEST(StepPlace, SaysWhyAStepCanNeverRun) {
  std::vector<NodeShare> job{held(1, 4, 4000, 4)};
  StepDemand memory = tasks(1);
  memory.memory_per_node_mib = 5000;
  EXPECT_EQ(place_step(job, {}, memory).error().code, ErrorCode::insufficient_memory);
  StepDemand gpus = tasks(1);
  gpus.gres_per_node = {{"gpu", {}, 9}};
  EXPECT_EQ(place_step(job, {}, gpus).error().detail,
            "Step requested gres_per_node=gpu:9 is more than the job's gres_per_node=gpu:4");
  gpus.gres_per_node = {{"gpu", "a100", 1}};
  EXPECT_EQ(place_step(job, {}, gpus).error().detail,
            "Step requested GRES (gpu:a100) not found in the job");
  EXPECT_EQ(place_step({held(1, 4, 4000, 0)}, {}, gpus).error().detail,
            "Step requested GRES but job doesn't have GRES");
  StepDemand elsewhere = tasks(1);
  elsewhere.required_nodes = {NodeId{7}};
  EXPECT_EQ(place_step(job, {}, elsewhere).error().code,
            ErrorCode::requested_node_config_unavailable);
}

TEST(StepPlace, TheJobsCpusPerTaskIsOnlyAPreference) {
  StepDemand demand = tasks(8);
  demand.cpus_per_task = 2;
  demand.cpus_per_task_is_wish = true;
  EXPECT_TRUE(place_step({held(1, 8)}, {}, demand));
  demand.cpus_per_task_is_wish = false;
  EXPECT_FALSE(place_step({held(1, 8)}, {}, demand));
}

TEST(StepPlace, GpusOfTheWholeStepLeaveOneForEachNode) {
  StepDemand demand = tasks(2, 2);
  demand.gpus_total = {{"gpu", {}, 4}};
  auto nodes = place_step({held(1, 4, 4000, 4), held(2, 4, 4000, 4)}, {}, demand);
  ASSERT_TRUE(nodes);
  EXPECT_EQ(nodes->at(0).share.gres.front().count, 3u);
  EXPECT_EQ(nodes->at(1).share.gres.front().count, 1u);
}

// Whatever is requested, concurrent steps never have more than the job.
TEST(StepPlace, NeverAllocatesAnythingTwice) {
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    auto pick = [&](std::uint32_t low, std::uint32_t high) {
      return std::uniform_int_distribution<std::uint32_t>(low, high)(random);
    };
    std::vector<NodeShare> job;
    for (std::uint32_t n = 1, last = pick(1, 4); n <= last; ++n)
      job.push_back(held(n, pick(1, 8), pick(1, 4) * 1000, pick(0, 4)));
    std::vector<NodeShare> used;
    for (int i = 0; i < 12; ++i) {
      StepDemand demand;
      demand.tasks = pick(1, 10);
      demand.max_nodes = pick(1, 4);
      demand.min_nodes = std::min(pick(1, demand.max_nodes), demand.tasks);
      demand.cpus_per_task = pick(1, 3);
      demand.cpus_per_task_is_wish = pick(0, 1);
      demand.exact = pick(0, 3) > 0;
      demand.tasks_per_node_max = pick(0, 3);
      if (pick(0, 1)) demand.memory_per_node_mib = pick(0, 2000);
      if (pick(0, 3) == 0) demand.memory_per_cpu_mib = pick(0, 500);
      if (pick(0, 1)) demand.gres_per_node.emplace();
      if (demand.gres_per_node && pick(0, 1))
        demand.gres_per_node->push_back({"gpu", {}, pick(1, 3)});
      if (pick(0, 3) == 0) demand.gpus_per_task = {{"gpu", {}, pick(1, 2)}};
      if (pick(0, 5) == 0) demand.gpus_total = {{"gpu", {}, pick(1, 4)}};
      demand.distribution.kind = static_cast<Distribution::Kind>(pick(0, 2));
      demand.distribution.plane_size =
          demand.distribution.kind == Distribution::Kind::plane ? pick(1, 3) : 1;
      auto nodes = place_step(job, used, demand);
      if (!nodes) continue;
      std::vector<std::uint32_t> all;
      for (const StepNode& node : *nodes) {
        all.insert(all.end(), node.ranks.begin(), node.ranks.end());
        EXPECT_EQ(node.ranks.size(), node.share.tasks);
        EXPECT_FALSE(node.ranks.empty());
        EXPECT_TRUE(std::ranges::is_sorted(node.ranks));
        used.push_back(node.share);
      }
      std::ranges::sort(all);
      std::vector<std::uint32_t> expected(demand.tasks);
      std::iota(expected.begin(), expected.end(), 0);
      ASSERT_EQ(all, expected) << "seed " << seed;
      EXPECT_GE(nodes->size(), demand.min_nodes);
      EXPECT_LE(nodes->size(), demand.max_nodes);
    }
    for (const NodeShare& own : job) {
      IdSet cpus, gpus;
      std::uint64_t cpu_sum = 0, gpu_sum = 0, memory = 0;
      for (const NodeShare& share : used) {
        if (share.node != own.node) continue;
        cpus.merge(share.cpus);
        cpu_sum += share.cpus.size();
        memory += share.memory_mib;
        for (const GresShare& g : share.gres) gpus.merge(g.indices), gpu_sum += g.count;
      }
      ASSERT_EQ(cpus.size(), cpu_sum) << "a CPU of two steps, seed " << seed;
      ASSERT_EQ(cpus.intersect(own.cpus), cpus) << "seed " << seed;
      ASSERT_EQ(gpus.size(), gpu_sum) << "a GPU of two steps, seed " << seed;
      ASSERT_LE(memory, own.memory_mib) << "seed " << seed;
    }
  }
}

TEST(StepPlace, NumbersThatOverflowAreTooManyNeverTooFew) {
  std::vector<NodeShare> job{held(1, 4)};
  EXPECT_EQ(place_step(job, {}, tasks(0xffffffff)).error().text(),
            "More processors requested than permitted");
  StepDemand memory = exact(4);
  memory.counts_memory = true;
  memory.memory_per_cpu_mib = 1ull << 62;  // times 4 is 2^64
  EXPECT_EQ(place_step(job, {}, memory).error().code, ErrorCode::insufficient_memory);
  StepDemand crowded = tasks(8);
  crowded.overcommit = true;
  crowded.tasks_per_node_max = 7;
  EXPECT_FALSE(place_step(job, {}, crowded));
}

}  // namespace
}  // namespace muster::sched::step_place_test
