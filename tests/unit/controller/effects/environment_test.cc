// The variables of a job and its steps.
#include "controller/effects/environment.h"

#include <gtest/gtest.h>

#include "controller/world.h"

namespace muster::controller::effects_test {
namespace {

using namespace muster::controller::test;

void expect_variables(const Variables& variables,
                      const std::vector<std::pair<std::string, std::string>>& expected) {
  for (const auto& [name, value] : expected) {
    EXPECT_TRUE(variables.contains(name)) << name;
    EXPECT_EQ(variables[name], value) << name;
  }
}

TEST(OpenMode, IsThatOfTheJobOrElseJobFileAppend) {
  for (bool appends : {false, true}) {
    World w{ClusterBuilder().nodes(1).settings(
        [=](Settings& s) { s.job_file_append = appends ? "1" : "0"; })};
    w.submit(job().memory(10));
    w.submit(job().memory(10).set(&JobRequest::open_mode, OpenMode::truncate));
    auto launches = w.take<wire::LaunchOrder>();
    ASSERT_EQ(launches.size(), 2u);
    EXPECT_EQ(launches[0].second.launch.task.open_mode == OpenMode::append, appends);
    EXPECT_EQ(launches[1].second.launch.task.open_mode, OpenMode::truncate);
  }
}

TEST(Environment, OfAJobOnTwoNodesWithGpus) {
  World w{ClusterBuilder().nodes(4).gpus(4)};
  auto id = w.submit(job().nodes(2).tasks(4).cpus_per_task(2).gpus_per_node("2").memory(100));
  expect_variables(job_variables(w.core.cluster(), w.job(id), NodeId{1}),
                   {{"SLURM_JOB_ID", "1"},
                    {"SLURM_JOBID", "1"},
                    {"SLURM_JOB_NODELIST", "n[1-2]"},
                    {"SLURM_NODELIST", "n[1-2]"},
                    {"SLURM_JOB_NUM_NODES", "2"},
                    {"SLURM_NNODES", "2"},
                    {"SLURM_JOB_CPUS_PER_NODE", "6,2"},
                    {"SLURM_TASKS_PER_NODE", "3,1"},
                    {"SLURM_CPUS_ON_NODE", "6"},
                    {"SLURM_JOB_PARTITION", "main"},
                    {"SLURM_JOB_ACCOUNT", "root"},
                    {"SLURM_JOB_QOS", "normal"},
                    {"SLURM_JOB_UID", "1001"},
                    {"SLURM_JOB_GID", "100"},
                    {"SLURM_JOB_USER", "alice"},
                    {"SLURM_CLUSTER_NAME", "test"},
                    {"SLURM_NODE_ALIASES", "(null)"},
                    {"SLURM_TOPOLOGY_ADDR", "n1"},
                    {"SLURM_TOPOLOGY_ADDR_PATTERN", "node"},
                    {"CUDA_VISIBLE_DEVICES", "0,1"},
                    {"ROCR_VISIBLE_DEVICES", "0,1"},
                    {"GPU_DEVICE_ORDINAL", "0,1"},
                    {"ZE_AFFINITY_MASK", "0,1"},
                    {"SLURM_JOB_GPUS", "0,1"},
                    {"SLURM_GPUS_ON_NODE", "2"}});
  auto second = job_variables(w.core.cluster(), w.job(id), NodeId{2});
  EXPECT_EQ(second["SLURM_CPUS_ON_NODE"], "2");
  EXPECT_EQ(second["SLURM_TOPOLOGY_ADDR"], "n2");
  EXPECT_FALSE(second.contains("SLURM_RESTART_COUNT"));
  EXPECT_FALSE(second.contains("SLURM_ARRAY_JOB_ID"));
}

TEST(Environment, WithoutGpusNoneIsNamed) {
  World w{ClusterBuilder().nodes(1).gpus(4)};
  auto variables = job_variables(w.core.cluster(), w.job(w.submit(job())), NodeId{1});
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "SLURM_JOB_GPUS", "SLURM_GPUS_ON_NODE"})
    EXPECT_FALSE(variables.contains(name)) << name;
}

TEST(Environment, OfArrayTasks) {
  struct Case {
    const char *array, *count, *min, *max, *step;
  };
  for (const Case& c : {Case{"0-2", "3", "0", "2", "1"}, Case{"2-10:4%1", "3", "2", "10", "4"},
                        Case{"1,7", "2", "1", "7", "1"}}) {
    World w{ClusterBuilder().nodes(1)};
    auto id = w.submit(job().array(c.array).memory(1));
    std::uint32_t first = id + 1;
    expect_variables(job_variables(w.core.cluster(), w.job(first), NodeId{1}),
                     {{"SLURM_JOB_ID", std::to_string(first)},
                      {"SLURM_ARRAY_JOB_ID", std::to_string(id)},
                      {"SLURM_ARRAY_TASK_ID", c.min},
                      {"SLURM_ARRAY_TASK_COUNT", c.count},
                      {"SLURM_ARRAY_TASK_MIN", c.min},
                      {"SLURM_ARRAY_TASK_MAX", c.max},
                      {"SLURM_ARRAY_TASK_STEP", c.step}});
  }
}

TEST(Environment, ARestartedJobKnowsHowOften) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  w.act(wire::JobAction::requeue, id);
  w.step_end(1, batch_of(id), 15);
  EXPECT_EQ(job_variables(w.core.cluster(), w.job(id), NodeId{1})["SLURM_RESTART_COUNT"], "1");
}

TEST(Environment, OfAStep) {
  World w{ClusterBuilder().nodes(2).gpus(2)};
  auto id = w.submit(job().allocation().nodes(2).tasks(4).cpus_per_task(2).gpus_per_node("1"));
  w.answer(wire::StepRequest{
      .job = JobId{id}, .num_tasks = 4, .environment = {"MINE=1", "SLURM_JOB_ID=999"}});
  const Step& step = w.job(id).run->steps.at(StepId{0});
  expect_variables(step_variables(w.core.cluster(), w.job(id), step, NodeId{2}),
                   {{"SLURM_STEP_ID", "0"},
                    {"SLURM_STEPID", "0"},
                    {"SLURM_STEP_NODELIST", "n[1-2]"},
                    {"SLURM_STEP_NUM_NODES", "2"},
                    {"SLURM_STEP_NUM_TASKS", "4"},
                    {"SLURM_NTASKS", "4"},
                    {"SLURM_NPROCS", "4"},
                    {"SLURM_STEP_TASKS_PER_NODE", "3,1"},
                    {"SLURM_STEP_GPUS", "0"}});
  auto launches = w.take<wire::LaunchOrder>();
  ASSERT_EQ(launches.size(), 2u);
  const auto& environment = launches[1].second.launch.environment;
  auto has = [&](const char* entry) {
    return std::find(environment.begin(), environment.end(), entry) != environment.end();
  };
  EXPECT_TRUE(has("MINE=1"));
  EXPECT_TRUE(has("SLURM_JOB_ID=1"));
  EXPECT_TRUE(has("SLURM_DISTRIBUTION=block"));
  EXPECT_FALSE(has("SLURM_JOB_ID=999")) << "the allocation decides";
  EXPECT_EQ(launches[1].second.launch.node_index, 1u);
  EXPECT_EQ(launches[1].second.launch.ranks, (std::vector<std::uint32_t>{3}));
}

TEST(Variables, ANameIsSetOnceAndFoundAsAWhole) {
  Variables v;
  v.set({"A", "AB"}, "1");
  v.set("A", "2=3");
  EXPECT_EQ(v["A"], "2=3");
  EXPECT_EQ(v["AB"], "1");
  EXPECT_FALSE(v.contains("ABC"));
  EXPECT_FALSE(v.contains("A="));
  EXPECT_TRUE(v.erase("A"));
  EXPECT_FALSE(v.erase("A"));
  EXPECT_EQ(std::move(v).take().strings(), std::vector<std::string>{"AB=1"});
}

TEST(Variables, AValueCannotBringAnEntryOfItsOwn) {
  Variables v;
  v.set("ACCOUNT", std::string_view("a\0LD_PRELOAD=/tmp/x", 19));
  v.set("B", "");
  EXPECT_EQ(std::move(v).take().strings(), (std::vector<std::string>{"ACCOUNT=a", "B="}));
}

}  // namespace
}  // namespace muster::controller::effects_test
