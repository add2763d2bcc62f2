// job_submit.lua: what scripts may do, and what is an error with file and line.
#include "hooks/lua_script.h"

#include <gtest/gtest.h>

namespace muster::hooks {
namespace {

constexpr const char* kModify = "\nfunction slurm_job_modify() return 0 end\n";

std::unique_ptr<LuaScript> script(const std::string& body) {
  auto loaded =
      LuaScript::load({"/nowhere", "test"},
                      "function slurm_job_submit(job, parts, uid)\n" + body + "\nend" + kModify);
  EXPECT_TRUE(loaded) << loaded.error().text();
  return loaded ? std::move(*loaded) : nullptr;
}

LuaEnd run(const std::string& body, JobValues& values) {
  return script(body)->call(values, nullptr,
                            {{.given = {{"name", "batch", {}}, {"max_time", {}, 60}}}}, 7);
}
LuaEnd run(const std::string& body) {
  JobValues values({.given = {{"num_tasks", {}, 4}}, .environment = std::string("A=1\0B=2\0", 8)},
                   false);
  return run(body, values);
}

std::string why_not_loaded(const std::string& source) {
  auto loaded = LuaScript::load({"/nowhere", "test"}, source);
  return loaded ? "" : loaded.error().text();
}

TEST(LuaScript, ReadsFieldsAndConstants) {
  for (const char* truth : {"job.num_tasks == 4",
                            "job.time_limit == slurm.NO_VAL",
                            "job.cpus_per_task == slurm.NO_VAL16",
                            "job.pn_min_memory == slurm.NO_VAL64",
                            "job.partition == nil",
                            "job.nonsense == nil",
                            "job.argc == 0",
                            "parts.batch.max_time == 60",
                            "parts.other == nil",
                            "uid == 7",
                            "job.environment.A == '1'",
                            "slurm.CLUSTER_NAME == 'test'",
                            "slurm.time_str2mins('1:00:00') == 60",
                            "unpack({5}) == 5",
                            "string.format('%d', 7 / 2) == '3'",
                            "string.format('%5.1f%%', 2) == '  2.0%'",
                            "table.getn({1, 2}) == 2",
                            "math.pow(2, 3) == 8",
                            "getfenv(1)._G == _G",
                            "slurm.FAILURE == -1"})
    EXPECT_EQ(run(std::string("return (") + truth + ") and 1 or 0").code, 1) << truth;
}

TEST(LuaScript, SetsFieldsAndVariables) {
  JobValues values({.environment = std::string("A=1\0B=2\0", 8)}, false);
  const LuaEnd end =
      run("job.name = 'x'; job.time_limit = 10; job.environment.A = nil; job.environment.C = 3; "
          "job.min_mem_per_node = 5; return slurm.SUCCESS",
          values);
  EXPECT_FALSE(end.failure) << *end.failure;
  const wire::HookChanges changes = values.changes();
  ASSERT_EQ(changes.set.size(), 3u);
  EXPECT_EQ(changes.set[0], (wire::HookField{"name", "x", {}}));
  EXPECT_EQ(changes.set[1], (wire::HookField{"time_limit", {}, 10}));
  ASSERT_EQ(changes.environment.size(), 2u);
  EXPECT_EQ(changes.environment[0].value, std::nullopt);
  EXPECT_EQ(changes.environment[1].value, "3");
  EXPECT_EQ(values.read("pn_min_memory")->number, 5u);
}

TEST(LuaScript, ModulesOfTheOldKindWork) {
  EXPECT_EQ(run("module('m', package.seeall) x = 5 return m.x").code, 5);
}

TEST(LuaScript, ErrorsNameFileAndLine) {
  EXPECT_EQ(*run("error('boom')").failure, "/nowhere/job_submit.lua:2: boom");
  EXPECT_EQ(*run("job.num_tasks = 'many'").failure,
            "/nowhere/job_submit.lua:2: job_desc.num_tasks: a number is expected");
  EXPECT_EQ(*run("job.num_tasks = -1").failure,
            "/nowhere/job_submit.lua:2: job_desc.num_tasks: a number below 0");
  EXPECT_TRUE(run("error({})").failure);
  EXPECT_TRUE(run("return job.environment.A .. {}").failure);
  EXPECT_NE(why_not_loaded("this is no Lua").find("/nowhere/job_submit.lua:1: "),
            std::string::npos);
  EXPECT_EQ(why_not_loaded("function slurm_job_submit() end"),
            "/nowhere/job_submit.lua: missing required function slurm_job_modify");
  EXPECT_EQ(why_not_loaded("return 3"), "/nowhere/job_submit.lua: returned 3 on load");
}

TEST(LuaScript, StrangeValuesDoNoHarm) {
  for (const char* body :
       {"job.time_limit = 0/0", "job.time_limit = math.huge", "job.comment = {}", "job[{}] = 1",
        "job.environment = 5", "job.environment[5] = {}", "setmetatable(job, nil) job.name = 5",
        "return 'x'", "return {}", "return 1e300", "return 0/0", "job.argv = 1"})
    run(body);
}

}  // namespace
}  // namespace muster::hooks
