// Components of heterogeneous jobs and steps on the command line.
#include "cli/options/components.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "cli/srun/groups.h"

namespace muster::cli {
namespace {

using Words = std::vector<std::string>;

// "ntasks=1; : ntasks=2; [script a]"
std::string parsed(Client client, const Words& words) {
  auto components = parse_components(client, words);
  if (!components) return components.error().text;
  std::string out;
  for (const ParsedWords& component : *components) {
    if (&component != &components->front()) out += " : ";
    for (const auto& [name, value] : component.options)
      out += std::string(name) + "=" + value + ";";
    for (const std::string& word : component.rest) out += " " + word;
  }
  return out;
}

TEST(Components, OfAJobStandBeforeItsCommand) {
  EXPECT_EQ(parsed(Client::sbatch, {"-n1", ":", "-n2", "s.sh", ":", "x"}),
            "ntasks=1; : ntasks=2; s.sh : x");
  EXPECT_EQ(parsed(Client::salloc, {"-n1", ":", ":", "-n2"}), "ntasks=1; :  : ntasks=2;");
  EXPECT_EQ(parsed(Client::sbatch, {"s.sh"}), " s.sh");
}

TEST(Components, OfAStepHaveCommandsOfTheirOwn) {
  EXPECT_EQ(parsed(Client::srun, {"-n1", "a", "b", ":", "-n2", "c"}),
            "ntasks=1; a b : ntasks=2; c");
}

TEST(Components, TakeOverWhatIsNotAboutResources) {
  JobOptions first(Client::sbatch, Time{}), second(Client::sbatch, Time{});
  auto words = parse_words(Client::sbatch, Words{"-J", "x", "--mem=10", "-n4", "-p", "main", "-t",
                                                 "7", "-w", "n1", "-c2"});
  ASSERT_TRUE(words);
  ASSERT_TRUE(apply(first, *words, Source::command_line));
  ASSERT_TRUE(inherit(second, first));
  EXPECT_EQ(second.spec.name, "x");
  EXPECT_EQ(second.spec.memory_per_node_mib, 10u);
  EXPECT_EQ(second.spec.time_limit, Minutes{7});
  EXPECT_FALSE(second.spec.num_tasks);
  EXPECT_FALSE(second.spec.cpus_per_task);
  EXPECT_TRUE(second.spec.partition.empty());
  EXPECT_TRUE(second.spec.required_nodes.empty());
}

TEST(Components, VariablesCarryTheirNumbers) {
  JobEnvironment environment;
  set_group_variable(environment, "SLURM_NTASKS", 1, "3");
  EXPECT_EQ(environment.entries(),
            (Words{"SLURM_NTASKS_HET_GROUP_1=3", "SLURM_NTASKS_PACK_GROUP_1=3"}));
}

Lookup variables(std::map<std::string, std::string> values) {
  return [values = std::make_shared<std::map<std::string, std::string>>(std::move(values))](
             const char* name) -> const char* {
    auto found = values->find(name);
    return found == values->end() ? nullptr : found->second.c_str();
  };
}

TEST(HetGroup, HasTheVariablesOfItsComponent) {
  Lookup all = variables({{"SLURM_HET_SIZE", "2"},
                          {"SLURM_NTASKS", "1"},
                          {"SLURM_NTASKS_HET_GROUP_0", "1"},
                          {"SLURM_MEM_PER_NODE_HET_GROUP_1", "9"},
                          {"SLURM_LABELIO", "1"}});
  EXPECT_EQ(het_size(all), 2u);
  Lookup second = in_group(all, 1, 2);
  EXPECT_STREQ(second("SLURM_MEM_PER_NODE"), "9");
  EXPECT_EQ(second("SLURM_NTASKS"), nullptr) << "that is the first component's";
  EXPECT_STREQ(second("SLURM_LABELIO"), "1");
  EXPECT_EQ(het_size(variables({})), std::nullopt);
}

// "0:0 1:1": command and component of each part.
std::string parts(const Words& words, std::uint32_t size) {
  auto commands = parse_components(Client::srun, words);
  auto found = group_parts(*commands, size);
  if (!found) return found.error().text;
  std::string out;
  for (const GroupPart& part : *found)
    out += (out.empty() ? "" : " ") + std::to_string(part.words) + ":" + std::to_string(part.group);
  return out;
}

TEST(HetGroup, IsTheCommandsOwnOrTheNext) {
  EXPECT_EQ(parts({"a"}, 2), "0:0");
  EXPECT_EQ(parts({"a", ":", "b"}, 2), "0:0 1:1");
  EXPECT_EQ(parts({"--het-group=1,0", "a"}, 2), "0:0 0:1");
  EXPECT_EQ(parts({"--het-group=0-2", "a"}, 3), "0:0 0:1 0:2");
  EXPECT_EQ(parts({"--pack-group=1", "a", ":", "--het-group=0", "b"}, 2), "1:0 0:1");
  EXPECT_EQ(parts({"--het-group=1", "a", ":", "--het-group=0,1", "b"}, 2), "1:0 0:1 1:1");
}

TEST(HetGroup, ThatTheJobDoesNotHaveIsRefused) {
  EXPECT_EQ(parts({"--het-group=2", "a"}, 2),
            "srun: error: Requested het-group offset exceeds highest hetjob index (2 > 1)\n");
  EXPECT_EQ(parts({"--het-group=x", "a"}, 2), "srun: error: Invalid --het-group value: x\n");
}

}  // namespace
}  // namespace muster::cli
