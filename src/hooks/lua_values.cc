// Tables whose fields are looked up and set by functions of ours.
#include "hooks/lua_values.h"

#include <cmath>
#include <lua.hpp>

#include <fmt/format.h>

#include "hooks/talk.h"

namespace muster::hooks {

namespace {

constexpr const char* kEnvironment = "muster.environment";  // in the registry, while it is in use

void push(lua_State* lua, const wire::HookField& field) {
  if (field.text)
    lua_pushlstring(lua, field.text->data(), field.text->size());
  else if (field.number)
    push_number(lua, *field.number);
  else
    lua_pushnil(lua);
}

void push_argv(lua_State* lua, const std::vector<std::string>& argv) {
  lua_createtable(lua, static_cast<int>(argv.size()), 0);
  for (std::size_t i = 0; i < argv.size(); ++i) {
    lua_pushlstring(lua, argv[i].data(), argv[i].size());
    lua_rawseti(lua, -2, static_cast<lua_Integer>(i));
  }
}

// One table for the whole call, so that changes in it are kept.
void push_environment(lua_State* lua, const JobValues& values) {
  if (!values.has_environment()) {
    say(wire::HookLevel::error, "job_desc.environment is only there for batch jobs");
    lua_newtable(lua);
    return;
  }
  if (lua_getfield(lua, LUA_REGISTRYINDEX, kEnvironment) == LUA_TTABLE) return;
  lua_pop(lua, 1);
  lua_newtable(lua);
  for (const auto& [name, value] : values.environment()) {
    lua_pushlstring(lua, name.data(), name.size());
    lua_pushlstring(lua, value.data(), value.size());
    lua_rawset(lua, -3);
  }
  lua_pushvalue(lua, -1);
  lua_setfield(lua, LUA_REGISTRYINDEX, kEnvironment);
}

JobValues& values_of(lua_State* lua) {
  return *static_cast<JobValues*>(lua_touserdata(lua, lua_upvalueindex(1)));
}

int index_job(lua_State* lua) {
  const JobValues& values = values_of(lua);
  const std::string_view name = luaL_checkstring(lua, 2);
  if (name == "environment") {
    push_environment(lua, values);
  } else if (name == "argv") {
    if (values.argv().empty())
      lua_pushnil(lua);
    else
      push_argv(lua, values.argv());
  } else if (name == "argc") {
    lua_pushinteger(lua, static_cast<lua_Integer>(values.argv().size()));
  } else if (name == "cron_job") {
    lua_pushboolean(lua, 0);
  } else if (auto field = values.read(name)) {
    push(lua, *field);
  } else {
    lua_pushnil(lua);
  }
  return 1;
}

// Null if the value is fine.
const char* read_number(lua_State* lua, int at, std::uint64_t& number) {
  int is_number = 0;
  const lua_Number value = lua_tonumberx(lua, at, &is_number);
  if (!is_number || std::isnan(value)) return "a number is expected";
  if (value < 0) return "a number below 0";
  int is_integer = 0;
  const lua_Integer whole = lua_tointegerx(lua, at, &is_integer);
  constexpr lua_Number kTooLarge = 18446744073709551615.0;
  if (is_integer)
    number = static_cast<std::uint64_t>(whole);
  else
    number = value >= kTooLarge ? wire::kNoVal64 : static_cast<std::uint64_t>(value);
  return nullptr;
}

// Assigning nil takes the value away. No object with a destructor may live where Lua raises an
// error, so the message is made first.
int set_job(lua_State* lua) {
  {
    JobValues& values = values_of(lua);
    wire::HookField field{luaL_checkstring(lua, 2), {}, {}};
    const wire::HookFieldRow* row = wire::find_hook_field(field.name);
    std::string problem;
    if (!row) {
      say(wire::HookLevel::error, fmt::format("unrecognized field: {}", field.name));
      return 0;
    }
    if (row->is_number) {
      field.number = wire::kNoVal64;
      if (!lua_isnil(lua, 3))
        if (const char* wrong = read_number(lua, 3, *field.number)) problem = wrong;
    } else if (lua_isnil(lua, 3) || lua_isstring(lua, 3)) {
      std::size_t size = 0;
      const char* text = lua_isnil(lua, 3) ? "" : lua_tolstring(lua, 3, &size);
      field.text = std::string(text, size);
    } else {
      problem = "a text is expected";
    }
    if (problem.empty()) {
      auto set = values.set(field);
      if (set) return 0;
      problem = set.error().text();
    }
    lua_pushfstring(lua, "job_desc.%s: %s", field.name.c_str(), problem.c_str());
  }
  luaL_where(lua, 1);
  lua_insert(lua, -2);
  lua_concat(lua, 2);
  return lua_error(lua);
}

int refuse_to_set(lua_State* lua) { return luaL_error(lua, "the job's record can only be read"); }

void set_metatable(lua_State* lua, JobValues& values, lua_CFunction index, lua_CFunction set) {
  lua_createtable(lua, 0, 2);
  lua_pushlightuserdata(lua, &values);
  lua_pushcclosure(lua, index, 1);
  lua_setfield(lua, -2, "__index");
  lua_pushlightuserdata(lua, &values);
  lua_pushcclosure(lua, set, 1);
  lua_setfield(lua, -2, "__newindex");
  lua_setmetatable(lua, -2);
}

}  // namespace

// Numbers beyond 2^53 are floating ones, as all numbers are in Lua 5.1.
void push_number(lua_State* lua, std::uint64_t number) {
  if (number < (std::uint64_t{1} << 53))
    lua_pushinteger(lua, static_cast<lua_Integer>(number));
  else
    lua_pushnumber(lua, static_cast<lua_Number>(number));
}

void push_job(lua_State* lua, JobValues& values) {
  lua_pushnil(lua);
  lua_setfield(lua, LUA_REGISTRYINDEX, kEnvironment);
  lua_newtable(lua);
  set_metatable(lua, values, index_job, set_job);
}

void push_record(lua_State* lua, const wire::HookPart& record) {
  lua_newtable(lua);
  const JobValues values(record, false);
  for (const wire::HookFieldRow& row : wire::hook_fields())
    if (row.when_unset) {
      push_number(lua, *row.when_unset);
      lua_setfield(lua, -2, row.name.data());
    }
  for (const wire::HookField& field : record.given) {
    push(lua, field);
    lua_setfield(lua, -2, field.name.c_str());
  }
  lua_newtable(lua);
  lua_pushcfunction(lua, refuse_to_set);
  lua_setfield(lua, -2, "__newindex");
  lua_setmetatable(lua, -2);
}

void push_partitions(lua_State* lua, const std::vector<wire::HookPart>& partitions) {
  lua_newtable(lua);
  for (const wire::HookPart& partition : partitions) {
    lua_createtable(lua, 0, static_cast<int>(partition.given.size()));
    std::string name;
    for (const wire::HookField& field : partition.given) {
      if (field.name == "name") name = field.text.value_or("");
      push(lua, field);
      lua_setfield(lua, -2, field.name.c_str());
    }
    lua_setfield(lua, -2, name.c_str());
  }
}

void take_environment(lua_State* lua, JobValues& values) {
  const bool is_there = lua_getfield(lua, LUA_REGISTRYINDEX, kEnvironment) == LUA_TTABLE;
  if (is_there && values.has_environment()) {
    std::map<std::string, std::string> now;
    lua_pushnil(lua);
    while (lua_next(lua, -2) != 0) {
      // A number as a key must stay one, so it is not converted.
      if (lua_type(lua, -2) == LUA_TSTRING && lua_isstring(lua, -1)) {
        lua_pushvalue(lua, -1);
        now[lua_tostring(lua, -3)] = lua_tostring(lua, -1);
        lua_pop(lua, 1);
      }
      lua_pop(lua, 1);
    }
    const auto before = values.environment();
    for (const auto& [name, value] : now)
      if (auto old = before.find(name); old == before.end() || old->second != value)
        values.set_variable(name, value);
    for (const auto& [name, value] : before)
      if (!now.contains(name)) values.set_variable(name, std::nullopt);
  }
  lua_pop(lua, 1);
  lua_pushnil(lua);
  lua_setfield(lua, LUA_REGISTRYINDEX, kEnvironment);
}

}  // namespace muster::hooks
