// Parsing and printing of the model's values.
#include <gtest/gtest.h>

#include "base/text/duration.h"
#include "model/cluster.h"

namespace muster {
namespace {

Time at(std::int64_t seconds) { return from_unix_seconds(1'000'000 + seconds); }

TEST(JobState, NamesAndCodesReadBack) {
  for (int i = 0; i <= static_cast<int>(JobState::out_of_memory); ++i) {
    auto state = static_cast<JobState>(i);
    EXPECT_EQ(parse_job_state(state_name(state)), state);
    EXPECT_EQ(parse_job_state(state_code(state)), state);
  }
  EXPECT_EQ(parse_job_state("pd"), JobState::pending);
  EXPECT_EQ(parse_job_state("Out_Of_Memory"), JobState::out_of_memory);
  EXPECT_FALSE(parse_job_state("COMPLETING"));
  EXPECT_FALSE(parse_job_state(""));
}

TEST(Gres, ReadsEverySpelling) {
  auto parsed = parse_gres("gpu:v100:2,shard:4,gpu,gres:fpga:1,gres/nic:ib,gpu:a100=3,lic:2K");
  ASSERT_TRUE(parsed);
  std::vector<GresRequest> expected{{"gpu", "v100", 2}, {"shard", "", 4}, {"gpu", "", 1},
                                    {"fpga", "", 1},    {"nic", "ib", 1}, {"gpu", "a100", 3},
                                    {"lic", "", 2048}};
  EXPECT_EQ(*parsed, expected);
  EXPECT_TRUE(parse_gres("")->empty());
  EXPECT_TRUE(parse_gres("none")->empty());
}

TEST(Gres, RefusesMalformedTexts) {
  for (const char* bad : {"gpu:", ":2", "gpu::2", "gpu:a:b:2", "gpu:2x", "4", "gpu,", "gpu:a:b"})
    EXPECT_FALSE(parse_gres(bad)) << bad;
}

TEST(Gpus, AreACountWithAnOptionalType) {
  using List = std::vector<GresRequest>;
  EXPECT_EQ(*parse_gpus("2"), (List{{"gpu", "", 2}}));
  EXPECT_EQ(*parse_gpus("v100:3"), (List{{"gpu", "v100", 3}}));
  EXPECT_EQ(*parse_gpus("v100"), (List{{"gpu", "v100", 1}}));
  EXPECT_EQ(*parse_gpus("v100:2,a100:1,"), (List{{"gpu", "v100", 2}, {"gpu", "a100", 1}}));
  EXPECT_EQ(*parse_gpus("v100:2,a100:1,v100:4"), (List{{"gpu", "v100", 4}, {"gpu", "a100", 1}}));
  EXPECT_EQ(as_gres("v100:2,1,"), "gpu:v100:2,gpu:1");
  for (const char* bad : {":2", "v100:", "v100:x", "2x", "a:1,b:", "gpu:v100:1"})
    EXPECT_FALSE(parse_gpus(bad)) << bad;
}

TEST(Gres, AreShownAsTheyWereWritten) {
  const GresList gres("gres:gpu:v100,shard"), wrong("gpu::");
  EXPECT_EQ(gres.view(), "gres:gpu:v100,shard");
  EXPECT_EQ(requests_in(gres), (GresRequests{{"gpu", "v100", 1}, {"shard", "", 1}}));
  EXPECT_FALSE(wrong.parsed());
  EXPECT_TRUE(requests_in(wrong).empty());
  const GpuList gpus("v100:2,1");
  EXPECT_EQ(as_gres(gpus.view()), "gpu:v100:2,gpu:1");
  EXPECT_EQ(requests_in(gpus), (GresRequests{{"gpu", "v100", 2}, {"gpu", "", 1}}));
}

TEST(BillingWeights, AreOfResourcesAndOfMebibytes) {
  const BillingWeightList list("CPU=1.5, Mem=0.25G,GRES/gpu=-2,license/x=3");
  EXPECT_EQ(list.view(), "CPU=1.5, Mem=0.25G,GRES/gpu=-2,license/x=3");
  EXPECT_EQ(
      list.parsed(),
      (BillingWeights{{"cpu", 1.5}, {"mem", 0.25 / 1024}, {"gres/gpu", -2}, {"license/x", 3}}));
  EXPECT_EQ(parse_billing_weights("mem=1K"), (BillingWeights{{"mem", 1024}}));
  EXPECT_EQ(parse_billing_weights("mem=1024t"), (BillingWeights{{"mem", 1.0 / 1024}}));
  EXPECT_TRUE(parse_billing_weights("")->empty());
  for (const char* text : {"cpu", "cpu=", "cpu=x", "cpu=1X", "cpu=1GG", "=1", "disk=1", "cpu=1,"})
    EXPECT_FALSE(parse_billing_weights(text)) << text;
}

TEST(Gres, AreNotCountedWithoutEnd) {
  std::string many = "a";
  for (std::size_t i = 1; i < kMostGresRequests; ++i) many += ",a";
  EXPECT_TRUE(parse_gres(many) && parse_gpus(many));
  EXPECT_FALSE(parse_gres(many + ",a") || parse_gpus(many + ",a"));
}

TEST(Tres, SumsSharesAndPrintsBothOrders) {
  std::vector<NodeShare> shares{
      {NodeId{1}, IdSet::range(0, 1), 16000, 2, {{"gpu", "v100", 1, {}}, {"fpga", "", 2, {}}}},
      {NodeId{2}, IdSet::range(0, 1), 48000, 2, {{"gpu", "a100", 1, {}}}}};
  Tres sum = total(shares);
  EXPECT_EQ(sum.text(), "cpu=4,mem=62.50G,node=2,billing=4,gres/fpga=2,gres/gpu=2");
  EXPECT_EQ(sum.accounting_text(), "billing=4,cpu=4,gres/fpga=2,gres/gpu=2,mem=62.50G,node=2");
}

TEST(CompressCounts, FoldsRepeats) {
  EXPECT_EQ(compress_counts({2, 2, 2, 1}), "2(x3),1");
  EXPECT_EQ(compress_counts({1, 2, 1}), "1,2,1");
  EXPECT_EQ(compress_counts({}), "");
}

TEST(AddDetected, GivesFilesToPoolsThatAreOnlyCounted) {
  std::vector<GresPool> pools{{.name = "gpu", .type = "v100", .count = 1},
                              {.name = "gpu", .type = "a100", .count = 2},
                              {.name = "fpga", .type = "", .count = 1}};
  const std::vector<GresPool> detected{
      {.name = "gpu", .type = "tesla_v100-sxm2", .count = 1, .files = {"/dev/nvidia0"}},
      {.name = "gpu", .type = "a100", .count = 2, .files = {"/dev/nvidia1", "/dev/nvidia2"}}};
  add_detected(pools, detected);
  EXPECT_EQ(pools[0].files, std::vector<Text>{"/dev/nvidia0"});
  EXPECT_EQ(pools[1].files, (std::vector<Text>{"/dev/nvidia1", "/dev/nvidia2"}));
  EXPECT_TRUE(pools[2].files.empty());
}

TEST(Usage, SumsTimesAndKeepsTheLargestPeak) {
  Usage usage{.user_cpu_us = 1, .system_cpu_us = 2};
  usage.rss_kib.note(10, NodeId{1}, 0);
  Usage other{.user_cpu_us = 5, .system_cpu_us = 5};
  other.rss_kib.note(20, NodeId{2}, 3);
  other.rss_kib.note(15, NodeId{3}, 4);
  usage.add(other);
  EXPECT_EQ(usage.user_cpu_us, 6u);
  EXPECT_EQ(usage.rss_kib.max, 20u);
  EXPECT_EQ(usage.rss_kib.max_node, NodeId{2});
  EXPECT_EQ(usage.rss_kib.max_task, 3u);
  EXPECT_EQ(usage.rss_kib.min, 10u);
  EXPECT_EQ(usage.rss_kib.average(), 15u);
}

TEST(Step, HasANameForSpecialSteps) {
  EXPECT_EQ(step_name(kBatchStep), "batch");
  EXPECT_EQ(step_name(kExternStep), "extern");
  EXPECT_EQ(step_name(StepId{3}), "3");
}

TEST(Job, NameTellsArraysApart) {
  Job job;
  job.id = JobId{12};
  EXPECT_EQ(job_name(job), "12");
  job.array_id = JobId{12};
  job.waiting_tasks = IdSet::range(4, 9);
  EXPECT_EQ(job_name(job), "12_[4-9]");
  job.task_limit = 2;
  EXPECT_EQ(job_name(job), "12_[4-9%2]");
  job.waiting_tasks = *IdSet::parse("0-1,3");
  EXPECT_EQ(job_name(job), "12_[0-1,3%2]");
  job.waiting_tasks = {};
  job.task_id = 3;
  EXPECT_EQ(job_name(job), "12_3");
}

TEST(Job, LimitAndRunTimeLeaveOutSuspension) {
  Job job;
  EXPECT_EQ(job.end_limit(), Time::max());
  EXPECT_EQ(job.run_time(at(0)), Millis{0});
  job.run.edit().started = at(0);
  job.time_limit = Minutes{1};
  EXPECT_EQ(job.end_limit(), at(60));
  job.run.edit().suspended_total = Seconds{30};
  EXPECT_EQ(job.end_limit(), at(90));
  EXPECT_EQ(job.run_time(at(50)), Seconds{20});
  job.run.edit().suspended_at = at(60);
  EXPECT_EQ(job.end_limit(), Time::max());
  EXPECT_EQ(job.run_time(at(100)), Seconds{30});
  job.run.edit().suspended_at = {};
  job.run.edit().ended = at(70);
  EXPECT_EQ(job.run_time(at(100)), Seconds{40});
  job.time_limit = kUnlimited;
  EXPECT_EQ(job.end_limit(), Time::max());
}

Node up_node() {
  Node node;
  node.config.cpus = 4;
  node.health = NodeHealth::up;
  node.responding = true;
  return node;
}
std::string states(const Node& node) {
  return node_state_long(node) + " " + node_state_compact(node) + " " + node_state_word(node);
}

TEST(NodeState, FollowsJobsAndFlags) {
  Node node = up_node();
  EXPECT_EQ(states(node), "IDLE idle idle");
  EXPECT_TRUE(is_available(node));
  node.jobs.insert(7);
  node.used_cpus = IdSet::range(0, 1);
  EXPECT_EQ(states(node), "MIXED mix mixed");
  node.used_cpus = IdSet::range(0, 3);
  EXPECT_EQ(states(node), "ALLOCATED alloc allocated");
  node.drain = true;
  EXPECT_EQ(states(node), "ALLOCATED+DRAIN drng draining");
  EXPECT_FALSE(is_available(node));
  node.completing.insert(7);
  EXPECT_EQ(states(node), "IDLE+COMPLETING+DRAIN drng draining");
  node.drain = false;
  EXPECT_EQ(states(node), "IDLE+COMPLETING comp completing");
  node.jobs.insert(8);
  EXPECT_EQ(states(node), "ALLOCATED+COMPLETING comp completing");
}

TEST(NodeState, MarksNodesThatDoNotAnswer) {
  Node node = up_node();
  node.responding = false;
  EXPECT_EQ(states(node), "IDLE+NOT_RESPONDING idle* idle*");
  EXPECT_FALSE(is_available(node));
  node.health = NodeHealth::down;
  EXPECT_EQ(states(node), "DOWN+NOT_RESPONDING down* down*");
  node.drain = true;
  EXPECT_EQ(states(node), "DOWN+DRAIN+NOT_RESPONDING drain* drained*");
}

TEST(NodeState, KnowsFailFutureAndUnknown) {
  Node node = up_node();
  node.fail = true;
  EXPECT_EQ(states(node), "IDLE+FAIL fail fail");
  EXPECT_FALSE(is_available(node));
  node = up_node();
  node.future = true;
  EXPECT_EQ(states(node), "FUTURE futr future");
  EXPECT_FALSE(is_available(node));
  node = Node{};
  node.responding = true;
  EXPECT_EQ(states(node), "UNKNOWN unk unknown");
  EXPECT_FALSE(is_available(node));
}

TEST(Cluster, FindsNodesPartitionsAndTasks) {
  Cluster cluster;
  cluster.nodes.put(NodeId{3}, up_node());
  cluster.node_ids.edit()["n3"] = NodeId{3};
  EXPECT_TRUE(cluster.find_node("n3"));
  EXPECT_FALSE(cluster.find_node("n4"));
  EXPECT_FALSE(cluster.default_partition());
  cluster.partitions.edit() = {Partition{.name = "a"}, Partition{.name = "b", .is_default = true}};
  EXPECT_EQ(cluster.find_partition("a")->name, "a");
  EXPECT_EQ(cluster.default_partition()->name, "b");
  EXPECT_FALSE(cluster.find_partition("c"));
}

TEST(Cluster, FindsAnArrayTaskInItsOwnRecordOrInTheArrays) {
  Cluster cluster;
  Job array;
  array.id = array.array_id = JobId{10};
  array.waiting_tasks = IdSet::range(2, 5);
  array.array.edit().task_jobs = IdSet::range(12, 12);
  cluster.jobs.put(array.id, array);
  Job task;
  task.id = JobId{12};
  task.array_id = JobId{10};
  task.task_id = 1;
  cluster.jobs.put(task.id, task);
  cluster.index_task(JobId{10}, 1, JobId{12});
  EXPECT_EQ(cluster.find_task(JobId{10}, 3)->id, JobId{10});
  EXPECT_EQ(cluster.find_task(JobId{10}, 1)->id, JobId{12});
  EXPECT_FALSE(cluster.find_task(JobId{10}, 0));
  EXPECT_FALSE(cluster.find_task(JobId{12}, 1));
  EXPECT_FALSE(cluster.find_task(JobId{99}, 1));
  const ArrayTasks tasks = cluster.tasks_of(JobId{10});
  EXPECT_EQ(tasks.all.text(), "1-5");
  EXPECT_EQ(tasks.record_of(1), JobId{12});
  EXPECT_EQ(tasks.record_of(4), JobId{10});
  EXPECT_TRUE(cluster.tasks_of(JobId{12}).all.empty());
  EXPECT_TRUE(cluster.tasks_of(JobId{99}).all.empty());
}

TEST(Cluster, ALongListOfNodesEndsAtTheFirstThatIsUnknown) {
  Cluster cluster;
  for (std::uint32_t id : {1u, 2u}) {
    Node node;
    node.id = NodeId{id};
    cluster.nodes.put(node.id, node);
    cluster.node_ids.edit()[Text("n" + std::to_string(id))] = node.id;
  }
  EXPECT_EQ(cluster.nodes_named("n[1-2],n1"), (std::vector{NodeId{1}, NodeId{2}, NodeId{1}}));
  EXPECT_EQ(cluster.nodes_named("a[0-999999]x[0-999999]").error().code,
            ErrorCode::invalid_node_name);
  cluster.config.edit().settings.request_limits.tasks_per_node = 2;
  EXPECT_TRUE(cluster.nodes_named("n1,n1,n2,n2"));
  EXPECT_FALSE(cluster.nodes_named("n1,n1,n1,n1,n1")) << "one for each task is the most";
}

}  // namespace
}  // namespace muster
