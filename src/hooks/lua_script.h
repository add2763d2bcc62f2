// LuaScript: job_submit.lua, loaded, with Slurm's names in it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "hooks/job_values.h"

struct lua_State;

namespace muster::hooks {

// The script's return value, or what went wrong in it.
struct LuaEnd {
  std::int32_t code = 0;
  std::optional<std::string> failure;
};

class LuaScript {
 public:
  struct Site {
    std::string directory, cluster;
  };
  // The error has file and line.
  static Result<std::unique_ptr<LuaScript>> load(const Site& site, const std::string& source);
  ~LuaScript();
  LuaScript(const LuaScript&) = delete;
  LuaScript& operator=(const LuaScript&) = delete;

  // slurm_job_submit, or slurm_job_modify if there is a job.
  LuaEnd call(JobValues& values, const wire::HookPart* job,
              const std::vector<wire::HookPart>& partitions, std::uint32_t uid);

 private:
  LuaScript();
  lua_State* lua_;
};

}  // namespace muster::hooks
