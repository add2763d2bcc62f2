// What submit scripts are told, and what follows from their answers.
#include "controller/hooks/vetting.h"

#include <gtest/gtest.h>

#include "base/text/duration.h"
#include "base/text/string_block.h"
#include "controller/hooks/job_fields.h"
#include "controller/hooks/slurm_errors.h"
#include "controller/hooks/update_fields.h"

namespace muster::controller {
namespace {

wire::HookField text(std::string name, std::string value) { return {std::move(name), value, {}}; }
wire::HookField number(std::string name, std::uint64_t value) {
  return {std::move(name), {}, value};
}

const wire::HookField* find(const wire::HookFields& fields, std::string_view name) {
  auto found = std::ranges::find(fields, name, &wire::HookField::name);
  return found == fields.end() ? nullptr : &*found;
}

TEST(HookFields, AreInOrderSoThatTheyAreFound) {
  for (const wire::HookFieldRow& row : wire::hook_fields())
    EXPECT_EQ(wire::find_hook_field(row.name), &row) << row.name;
}

// A value that the field may have.
wire::HookField sample(const wire::HookFieldRow& row) {
  const bool is_offset = row.name == "nice" || row.name == "site_factor";
  if (row.is_number) return number(std::string(row.name), is_offset ? wire::kNiceOffset + 3 : 1);
  return text(std::string(row.name),
              row.name.contains("per_tres") ? "gres:gpu:3" : "gres:gpu:v100:2");
}

TEST(HookFields, EachThatMayBeSetHasASetter) {
  for (const wire::HookFieldRow& row : wire::hook_fields()) {
    if (row.name == "script") continue;
    JobRequest request;
    EXPECT_EQ(set_job_field(request, sample(row)).has_value(), row.is_settable) << row.name;
  }
}

TEST(HookFields, AreReadAsTheyWereSet) {
  for (const wire::HookFieldRow& row : wire::hook_fields()) {
    if (row.name == "script" || !row.is_settable) continue;
    JobRequest request;
    ASSERT_TRUE(set_job_field(request, sample(row))) << row.name;
    const wire::HookFields fields = job_fields(request);
    const auto* found = find(fields, row.name);
    ASSERT_TRUE(found) << row.name;
    EXPECT_EQ(*found, sample(row)) << row.name;
  }
}

TEST(HookFields, AreTakenAwayByTheNumberForNone) {
  JobRequest request;
  for (const wire::HookFieldRow& row : wire::hook_fields()) {
    if (row.name == "script" || !row.is_settable || row.name == "bitflags" ||
        row.name == "begin_time")
      continue;
    const std::string name(row.name);
    ASSERT_TRUE(
        set_job_field(request, row.is_number ? number(name, wire::kNoVal64) : text(name, "")))
        << row.name;
  }
  EXPECT_EQ(request, JobRequest{});
}

TEST(HookFields, NumbersBeyondTheirRangeAreRefused) {
  JobRequest request;
  for (const char* name :
       {"num_tasks", "time_limit", "min_nodes", "priority", "mail_type", "shared", "nice",
        "begin_time", "wait4switch", "max_nodes", "cpus_per_task"})
    EXPECT_FALSE(set_job_field(request, number(name, 0xfffffffffffffff0))) << name;
  EXPECT_FALSE(set_job_field(request, text("num_tasks", "5")));
  EXPECT_FALSE(set_job_field(request, number("comment", 5)));
  EXPECT_FALSE(set_job_field(request, text("comment", std::string("a\0b", 3))));
  EXPECT_FALSE(set_job_field(request, text("user_name", "root")));
  EXPECT_EQ(request, JobRequest{});
}

TEST(HookFields, MemoryPerCpuHasABitOfItsOwn) {
  JobRequest request;
  ASSERT_TRUE(set_job_field(request, number("pn_min_memory", wire::kMemoryPerCpu | 10)));
  EXPECT_EQ(request.memory_per_cpu_mib, 10u);
  ASSERT_TRUE(set_job_field(request, number("pn_min_memory", 20)));
  EXPECT_EQ(request.memory_per_cpu_mib, std::nullopt);
  EXPECT_EQ(request.memory_per_node_mib, 20u);
}

TEST(HookFields, DevicesAreWrittenAsSlurmDoes) {
  JobRequest request;
  request.gpus_per_node = "v100:2";
  request.gres = "shard:1";
  EXPECT_EQ(find(job_fields(request), "tres_per_node")->text, "gres:gpu:v100:2,gres:shard:1");
  ASSERT_TRUE(set_job_field(request, text("gres", "gres/gpu:1,shard:2")));
  EXPECT_EQ(request.gres.view(), "gpu:1,shard:2");
  EXPECT_TRUE(request.gpus_per_node.empty());
  EXPECT_FALSE(set_job_field(request, text("tres_per_job", "gres:shard:2")));
}

TEST(Vetting, ChangesVariables) {
  const std::string before = StringBlock(std::vector<std::string>{"A=1", "B=2", "C=3"}).bytes();
  const std::string after = changed_environment(before, {{"B", "x=y"}, {"C", {}}, {"D", "4"}});
  EXPECT_EQ(StringBlock(after).strings(), (std::vector<std::string>{"A=1", "B=x=y", "D=4"}));
}

TEST(Vetting, AnAnswerAboutWhatIsNotThereIsRefused) {
  wire::SubmitRequest request;
  request.spec = Cow<JobRequest>(JobRequest{});
  EXPECT_FALSE(take_answer({.parts = {{}, {}}}, request));
  EXPECT_FALSE(take_answer({.parts = {{{}, {{"A=B", "1"}}}}}, request));
  EXPECT_FALSE(take_answer({.parts = {{{number("script", 1)}, {}}}}, request));
  EXPECT_FALSE(take_answer({.parts = {{{text("nonsense", "1")}, {}}}}, request));
  EXPECT_FALSE(take_answer({.parts = {{}}}, std::vector<JobId>{}));
  ASSERT_TRUE(take_answer({.parts = {{{text("script", "#!/bin/sh"), number("time_limit", 5)}, {}}}},
                          request));
  EXPECT_EQ(request.script, "#!/bin/sh");
  EXPECT_EQ(request.spec->time_limit, Minutes{5});
}

TEST(Vetting, SettingsOfUpdatesAreFields) {
  Job job;
  job.time_limit = Minutes{60};
  const UpdateSettings settings{{"JobId", "7"},      {"TimeLimit", "+10"}, {"Nice", "5"},
                                {"NumNodes", "2-4"}, {"Gres", "gpu:2"},    {"MailType", "END"}};
  const wire::HookFields fields = update_fields(settings, job, Time{});
  EXPECT_EQ(find(fields, "time_limit")->number, 70u);
  EXPECT_EQ(find(fields, "nice")->number, wire::kNiceOffset + 5);
  EXPECT_EQ(find(fields, "min_nodes")->number, 2u);
  EXPECT_EQ(find(fields, "max_nodes")->number, 4u);
  EXPECT_EQ(find(fields, "gres")->text, "gres:gpu:2");
  EXPECT_EQ(find(fields, "mail_type")->number, 2u);
  EXPECT_FALSE(find(fields, "partition"));
}

TEST(Vetting, FieldsBecomeSettings) {
  auto settings = settings_of({number("time_limit", wire::kInfinite), text("partition", ""),
                               number("min_nodes", 2), number("max_nodes", 4),
                               number("mail_type", 6), number("nice", wire::kNiceOffset - 5)});
  ASSERT_TRUE(settings);
  auto value = [&](std::string_view key) -> std::optional<std::string> {
    for (const auto& [name, text] : *settings)
      if (name == key) return text;
    return "not there";
  };
  EXPECT_EQ(value("TimeLimit"), "UNLIMITED");
  EXPECT_EQ(value("Partition"), std::nullopt);
  EXPECT_EQ(value("NumNodes"), "2-4");
  EXPECT_EQ(value("MailType"), "END,FAIL");
  EXPECT_EQ(value("Nice"), "-5");
  EXPECT_FALSE(settings_of({text("script", "x")}));
}

TEST(Vetting, NumbersHaveSlurmsTexts) {
  EXPECT_EQ(slurm_error_text(2066), "Invalid qos specification");
  EXPECT_EQ(slurm_error_text(-1), "Unspecified error");
  EXPECT_EQ(slurm_error_text(12345), "Unknown error 12345");
}

}  // namespace
}  // namespace muster::controller
