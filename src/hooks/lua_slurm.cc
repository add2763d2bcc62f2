// Slurm's functions and constants in Lua.
#include "hooks/lua_slurm.h"

#include <lua.hpp>
#include <string_view>

#include "base/text/duration.h"
#include "hooks/lua_values.h"
#include "hooks/talk.h"

namespace muster::hooks {

namespace {

using wire::HookLevel;

struct Constant {
  const char* name;
  std::uint64_t value;
};

constexpr Constant kConstants[] = {
    {"SUCCESS", 0},
    {"ALLOC_SID_ADMIN_HOLD", 1},
    {"ALLOC_SID_USER_HOLD", 2},
    {"NO_VAL", wire::kNoVal},
    {"NO_VAL8", wire::kNoVal8},
    {"NO_VAL16", wire::kNoVal16},
    {"NO_VAL64", wire::kNoVal64},
    {"INFINITE", wire::kInfinite},
    {"INFINITE64", wire::kInfinite64},
    {"MEM_PER_CPU", wire::kMemoryPerCpu},
    {"NICE_OFFSET", wire::kNiceOffset},
    {"JOB_SHARED_NONE", 0},
    {"JOB_SHARED_OK", 1},
    {"JOB_SHARED_USER", 2},
    {"JOB_SHARED_MCS", 3},
    {"SHARED_FORCE", 32768},
    {"KILL_INV_DEP", 1},
    {"NO_KILL_INV_DEP", 2},
    {"GRES_ENFORCE_BIND", 16},
    {"SPREAD_JOB", 256},
    {"USE_MIN_NODES", 512},
    {"GRES_DISABLE_BIND", 524288},
    {"MAIL_JOB_BEGIN", 1},
    {"MAIL_JOB_END", 2},
    {"MAIL_JOB_FAIL", 4},
    {"MAIL_JOB_REQUEUE", 8},
    {"MAIL_JOB_TIME100", 16},
    {"MAIL_JOB_TIME890", 32},  // Slurm's spelling
    {"MAIL_JOB_TIME90", 32},
    {"MAIL_JOB_TIME80", 64},
    {"MAIL_JOB_TIME50", 128},
    {"MAIL_JOB_STAGE_OUT", 256},
    {"MAIL_ARRAY_TASKS", 512},
    {"MAIL_INVALID_DEPEND", 1024},
    {"ESLURM_INVALID_PARTITION_NAME", 2000},
    {"ESLURM_DEFAULT_PARTITION_NOT_SET", 2001},
    {"ESLURM_ACCESS_DENIED", 2002},
    {"ESLURM_JOB_MISSING_REQUIRED_PARTITION_GROUP", 2003},
    {"ESLURM_REQUESTED_NODES_NOT_IN_PARTITION", 2004},
    {"ESLURM_TOO_MANY_REQUESTED_CPUS", 2005},
    {"ESLURM_INVALID_NODE_COUNT", 2006},
    {"ESLURM_JOB_MISSING_SIZE_SPECIFICATION", 2008},
    {"ESLURM_JOB_SCRIPT_MISSING", 2009},
    {"ESLURM_USER_ID_MISSING", 2010},
    {"ESLURM_PATHNAME_TOO_LONG", 2012},
    {"ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE", 2014},
    {"ESLURM_NODES_BUSY", 2016},
    {"ESLURM_INVALID_NODE_NAME", 2018},
    {"ESLURM_BAD_TASK_COUNT", 2025},
    {"ESLURM_INVALID_FEATURE", 2029},
    {"ESLURM_NOT_SUPPORTED", 2036},
    {"ESLURM_DISABLED", 2037},
    {"ESLURM_DEPENDENCY", 2038},
    {"ESLURM_BATCH_ONLY", 2039},
    {"ESLURM_INVALID_TASK_MEMORY", 2044},
    {"ESLURM_INVALID_ACCOUNT", 2045},
    {"ESLURM_INVALID_LICENSES", 2048},
    {"ESLURM_ACCOUNTING_POLICY", 2050},
    {"ESLURM_INVALID_TIME_LIMIT", 2051},
    {"ESLURM_RESERVATION_ACCESS", 2052},
    {"ESLURM_RESERVATION_INVALID", 2053},
    {"ESLURM_INVALID_TIME_VALUE", 2054},
    {"ESLURM_INVALID_WCKEY", 2057},
    {"ESLURM_INVALID_QOS", 2066},
    {"ESLURM_INVALID_CPU_COUNT", 2069},
    {"ESLURM_PARTITION_NOT_AVAIL", 2070},
    {"ESLURM_INVALID_GRES", 2072},
    {"ESLURM_QOS_THRES", 2074},
    {"ESLURM_INVALID_ARRAY", 2081},
    {"ESLURM_INVALID_NICE", 2123},
    {"ESLURM_INVALID_TIME_MIN_LIMIT", 2124},
    {"ESLURM_INVALID_PREFER", 2133},
    {"ESLURM_MISSING_TIME_LIMIT", 8000},
};

// slurm.log_info("%s asks", name). A single text without a valid pattern is taken as it is.
int log_line(lua_State* lua, HookLevel level) {
  const int count = lua_gettop(lua);
  if (count == 0) return luaL_error(lua, "a text is expected");
  lua_getglobal(lua, "string");
  lua_getfield(lua, -1, "format");
  lua_remove(lua, -2);
  for (int i = 1; i <= count; ++i) lua_pushvalue(lua, i);
  if (lua_pcall(lua, count, 1, 0) != LUA_OK) {
    if (count > 1) return lua_error(lua);
    lua_pushvalue(lua, 1);
  }
  std::size_t size = 0;
  const char* text = luaL_tolstring(lua, -1, &size);
  say(level, {text, size});
  return 0;
}
template <HookLevel level>
int log_at(lua_State* lua) {
  return log_line(lua, level);
}

// slurm.log(level, text), slurm.error(text), slurm.user_msg(text): without a pattern.
int log_by_number(lua_State* lua) {
  constexpr HookLevel kLevels[] = {HookLevel::info, HookLevel::verbose, HookLevel::debug};
  const lua_Integer level = luaL_checkinteger(lua, 1);
  say(kLevels[level < 0 ? 0 : level > 2 ? 2 : level], luaL_checkstring(lua, 2));
  return 0;
}
template <HookLevel level>
int say_at(lua_State* lua) {
  say(level, luaL_checkstring(lua, 1));
  return 0;
}

int time_to_minutes(lua_State* lua) {
  const auto minutes = parse_time_limit(luaL_checkstring(lua, 1));
  if (!minutes)
    push_number(lua, wire::kNoVal);
  else if (*minutes == kUnlimited)
    push_number(lua, wire::kInfinite);
  else
    lua_pushinteger(lua, minutes->count());
  return 1;
}

constexpr luaL_Reg kFunctions[] = {
    {"log", log_by_number},
    {"error", say_at<HookLevel::error>},
    {"user_msg", say_at<HookLevel::user>},
    {"log_error", log_at<HookLevel::error>},
    {"log_info", log_at<HookLevel::info>},
    {"log_verbose", log_at<HookLevel::verbose>},
    {"log_debug", log_at<HookLevel::debug>},
    {"log_debug2", log_at<HookLevel::debug>},
    {"log_debug3", log_at<HookLevel::debug>},
    {"log_debug4", log_at<HookLevel::debug>},
    {"log_user", log_at<HookLevel::user>},
    {"time_str2mins", time_to_minutes},
    {nullptr, nullptr},
};

// string.format: %d of 5.1 takes any number, that of 5.4 only whole ones.
constexpr std::string_view kOldNames = R"lua(
unpack = unpack or table.unpack
loadstring = loadstring or load
table.getn = table.getn or function(t) return #t end
table.maxn = table.maxn or function(t)
  local most = 0
  for k in pairs(t) do if type(k) == "number" and k > most then most = k end end
  return most
end
table.foreach = table.foreach or function(t, f)
  for k, v in pairs(t) do local r = f(k, v) if r ~= nil then return r end end
end
table.foreachi = table.foreachi or function(t, f)
  for i, v in ipairs(t) do local r = f(i, v) if r ~= nil then return r end end
end
string.gfind = string.gfind or string.gmatch
math.pow = math.pow or function(x, y) return x ^ y end
math.mod = math.mod or math.fmod
math.log10 = math.log10 or function(x) return math.log(x, 10) end
math.ldexp = math.ldexp or function(x, e) return x * 2.0 ^ e end
package.loaders = package.loaders or package.searchers
gcinfo = gcinfo or function() return collectgarbage("count") end

local getinfo, getupvalue, upvaluejoin = debug.getinfo, debug.getupvalue, debug.upvaluejoin
local function function_at(f)
  if type(f) == "function" then return f end
  return getinfo((f or 1) + 2, "f").func
end
local function environment_of(f)
  for i = 1, 255 do
    local name = getupvalue(f, i)
    if name == "_ENV" then return i end
    if name == nil then return nil end
  end
end
function setfenv(f, environment)
  f = function_at(f)
  local i = environment_of(f)
  if i then upvaluejoin(f, i, function() return environment end, 1) end
  return f
end
function getfenv(f)
  f = function_at(f)
  local i = environment_of(f)
  if not i then return _G end
  local _, value = getupvalue(f, i)
  return value
end
function package.seeall(module) setmetatable(module, {__index = _G}) end
function module(name, ...)
  local found = package.loaded[name]
  if type(found) ~= "table" then found = {} end
  package.loaded[name], _G[name] = found, found
  found._M, found._NAME = found, name
  for _, option in ipairs({...}) do option(found) end
  setfenv(2, found)
end

local format, unpacked = string.format, table.unpack
function string.format(pattern, ...)
  local given, count, at = {...}, select("#", ...), 0
  for kind in tostring(pattern):gsub("%%%%", ""):gmatch("%%[-+ #0]*%d*%.?%d*(%a)") do
    at = at + 1
    local value = given[at]
    if kind:find("[dixXouc]") then
      local number = tonumber(value)
      if number and math.type(number) == "float" and number == number and
         math.abs(number) < 2.0 ^ 63 then
        given[at] = math.tointeger(number >= 0 and math.floor(number) or math.ceil(number))
      end
    end
  end
  return format((tostring(pattern):gsub("%%([-+ #0]*%d*%.?%d*)u", "%%%1d")), unpacked(given, 1, count))
end
function print(...)
  local parts = {}
  for i = 1, select("#", ...) do parts[i] = tostring((select(i, ...))) end
  slurm.log(0, table.concat(parts, "\t"))
end
)lua";

}  // namespace

void add_slurm_table(lua_State* lua, const std::string& cluster) {
  lua_newtable(lua);
  luaL_setfuncs(lua, kFunctions, 0);
  for (const Constant& constant : kConstants) {
    push_number(lua, constant.value);
    lua_setfield(lua, -2, constant.name);
  }
  for (const char* name : {"ERROR", "FAILURE"}) {
    lua_pushinteger(lua, -1);
    lua_setfield(lua, -2, name);
  }
  lua_pushlstring(lua, cluster.data(), cluster.size());
  lua_setfield(lua, -2, "CLUSTER_NAME");
  lua_setglobal(lua, "slurm");
}

bool add_old_names(lua_State* lua) {
  return luaL_loadbuffer(lua, kOldNames.data(), kOldNames.size(), "=names of Lua 5.1") == LUA_OK &&
         lua_pcall(lua, 0, 0, 0) == LUA_OK;
}

}  // namespace muster::hooks
