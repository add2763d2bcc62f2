// Loads the script and calls its functions.
#include "hooks/lua_script.h"

#include <fmt/format.h>
#include <lua.hpp>

#include "hooks/lua_slurm.h"
#include "hooks/lua_values.h"
#include "hooks/talk.h"

namespace muster::hooks {

namespace {

std::string error_on(lua_State* lua) {
  const char* text = luaL_tolstring(lua, -1, nullptr);
  return text ? text : "an error without a text";
}

// Calls what was pushed; what it needs for that may fail too, so all of it happens in here.
struct Call {
  JobValues& values;
  const wire::HookPart* job;
  const std::vector<wire::HookPart>& partitions;
  std::uint32_t uid;
};

int make_call(lua_State* lua) {
  Call& call = *static_cast<Call*>(lua_touserdata(lua, 1));
  lua_getglobal(lua, call.job ? "slurm_job_modify" : "slurm_job_submit");
  push_job(lua, call.values);
  if (call.job) push_record(lua, *call.job);
  push_partitions(lua, call.partitions);
  lua_pushinteger(lua, call.uid);
  lua_call(lua, call.job ? 4 : 3, 1);
  take_environment(lua, call.values);
  return 1;
}

void look_for_modules_in(lua_State* lua, const std::string& directory) {
  lua_getglobal(lua, "package");
  lua_getfield(lua, -1, "path");
  const std::string before = lua_tostring(lua, -1) ? lua_tostring(lua, -1) : "";
  lua_pop(lua, 1);
  lua_pushstring(lua, fmt::format("{}/?.lua;{}", directory, before).c_str());
  lua_setfield(lua, -2, "path");
  lua_pop(lua, 1);
}

}  // namespace

LuaScript::LuaScript() : lua_(luaL_newstate()) {}
LuaScript::~LuaScript() {
  if (lua_) lua_close(lua_);
}

Result<std::unique_ptr<LuaScript>> LuaScript::load(const Site& site, const std::string& source) {
  std::unique_ptr<LuaScript> script(new LuaScript);
  lua_State* lua = script->lua_;
  if (!lua) return fail("there is not enough memory for Lua");
  luaL_openlibs(lua);
  add_slurm_table(lua, site.cluster);
  look_for_modules_in(lua, site.directory);
  if (!add_old_names(lua)) return fail(error_on(lua));
  const std::string path = site.directory + "/job_submit.lua";
  if (luaL_loadbuffer(lua, source.data(), source.size(), ("@" + path).c_str()) != LUA_OK ||
      lua_pcall(lua, 0, 1, 0) != LUA_OK)
    return fail(error_on(lua));
  if (lua_isnumber(lua, -1) && lua_tonumber(lua, -1) != 0)
    return fail(fmt::format("{}: returned {} on load", path, lua_tonumber(lua, -1)));
  lua_pop(lua, 1);
  for (const char* name : {"slurm_job_submit", "slurm_job_modify"})
    if (lua_getglobal(lua, name) != LUA_TFUNCTION)
      return fail(fmt::format("{}: missing required function {}", path, name));
  lua_settop(lua, 0);
  return script;
}

LuaEnd LuaScript::call(JobValues& values, const wire::HookPart* job,
                       const std::vector<wire::HookPart>& partitions, std::uint32_t uid) {
  lua_settop(lua_, 0);
  Call call{values, job, partitions, uid};
  lua_pushcfunction(lua_, make_call);
  lua_pushlightuserdata(lua_, &call);
  LuaEnd end;
  if (lua_pcall(lua_, 1, 1, 0) != LUA_OK) {
    end.failure = error_on(lua_);
  } else if (lua_isnumber(lua_, -1)) {
    const lua_Number code = lua_tonumber(lua_, -1);
    constexpr lua_Number kMost = 2147483647;
    end.code = code >= -kMost && code <= kMost ? static_cast<std::int32_t>(code) : -1;
  } else {
    say(wire::HookLevel::info, "job_submit.lua: non-numeric return code");
  }
  lua_settop(lua_, 0);
  return end;
}

}  // namespace muster::hooks
