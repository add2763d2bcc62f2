// Script, variables and command line: which of them wins.
#include <gtest/gtest.h>

#include <map>

#include "cli/options/options.h"

namespace muster::cli {
namespace {

using Variables = std::map<std::string, std::string>;

JobOptions resolve(const std::vector<std::string>& script, const Variables& variables,
                   const std::vector<std::string>& line, Client client = Client::sbatch) {
  JobOptions options(client, Time{});
  EXPECT_TRUE(apply(options, *parse_words(client, script), Source::script));
  EXPECT_TRUE(apply_environment(options, [&](const char* name) -> const char* {
    auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  }));
  EXPECT_TRUE(apply(options, *parse_words(client, line), Source::command_line));
  std::vector<std::string> warnings;
  EXPECT_TRUE(finish(options, warnings));
  return options;
}

TEST(Precedence, IsCommandLineThenEnvironmentThenScript) {
  std::vector<std::string> script{"-t", "3", "-J", "fromscript"};
  Variables variables{{"SBATCH_TIMELIMIT", "4"}, {"SBATCH_JOB_NAME", "fromenv"}};
  EXPECT_EQ(resolve(script, {}, {}).spec.time_limit, Minutes{3});
  EXPECT_EQ(resolve(script, variables, {}).spec.time_limit, Minutes{4});
  EXPECT_EQ(resolve(script, variables, {}).spec.name, "fromenv");
  EXPECT_EQ(resolve(script, variables, {"-t", "5"}).spec.time_limit, Minutes{5});
}

TEST(Precedence, LetsAnEmptyVariableSetAFlag) {
  EXPECT_TRUE(resolve({}, {{"SBATCH_EXCLUSIVE", ""}}, {}).spec.exclusive);
  EXPECT_EQ(resolve({}, {{"SBATCH_NO_REQUEUE", ""}}, {}).spec.requeue, false);
  EXPECT_EQ(resolve({}, {{"SBATCH_DEBUG", "2"}}, {}).verbose, 2u);
}

TEST(Precedence, LetsAVariableSayThatAFlagIsNotSet) {
  for (const char* yes : {"1", "-1", "01", "yes", "YES"})
    EXPECT_TRUE(resolve({}, {{"SBATCH_WAIT", yes}}, {}).wait_for_end) << yes;
  for (const char* no : {"0", "no", "off", "x", "true"})
    EXPECT_FALSE(resolve({}, {{"SBATCH_WAIT", no}}, {}).wait_for_end) << no;
}

TEST(Precedence, OfSharingAndHavingNodesAloneTheLastOneCounts) {
  EXPECT_FALSE(resolve({}, {}, {"--exclusive", "-s"}).spec.exclusive);
  EXPECT_FALSE(resolve({}, {}, {"-s", "--exclusive"}).spec.oversubscribe);
}

TEST(Precedence, AListOfFeaturesMeansAllOfThem) {
  EXPECT_EQ(resolve({}, {}, {"-C", "a,b"}).spec.features, "a&b");
}

TEST(Precedence, DropsMemoryOfTheEnvironmentWhereTheScriptAsksForAnotherKind) {
  auto spec = resolve({"--mem=10"}, {{"SBATCH_MEM_PER_CPU", "7"}}, {}).spec;
  EXPECT_EQ(spec.memory_per_node_mib, 10u);
  EXPECT_FALSE(spec.memory_per_cpu_mib);
}

TEST(Precedence, ReadsSlurmVariablesForSrunOnly) {
  Variables job{{"SLURM_NTASKS", "4"}, {"SLURM_NPROCS", "5"}, {"SLURM_JOB_ID", "12"}};
  auto step = resolve({}, job, {"true"}, Client::srun);
  EXPECT_EQ(step.spec.num_tasks, 4u);
  EXPECT_EQ(step.job_id, 12u);
  EXPECT_FALSE(resolve({}, job, {}).spec.num_tasks);
}

TEST(Precedence, RemembersWhereAnOptionCameFrom) {
  auto options = resolve({"--mem=10"}, {{"SBATCH_PARTITION", "p"}}, {"--tasks-per-node=2"});
  EXPECT_EQ(options.given.at("mem").source, Source::script);
  EXPECT_EQ(options.given.at("partition").source, Source::environment);
  EXPECT_TRUE(options.is_given("ntasks-per-node"));
}

}  // namespace
}  // namespace muster::cli
