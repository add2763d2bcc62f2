// Jobs and partitions as Lua tables.
#pragma once

#include "hooks/job_values.h"

struct lua_State;

namespace muster::hooks {

// Each pushes one table. `values` must live as long as the script may use the table.
void push_job(lua_State* lua, JobValues& values);
void push_record(lua_State* lua, const wire::HookPart& record);  // only to be read
void push_partitions(lua_State* lua, const std::vector<wire::HookPart>& partitions);
// Takes over what the script did to the table of the environment, which is on top of the stack if
// there is one.
void take_environment(lua_State* lua, JobValues& values);

void push_number(lua_State* lua, std::uint64_t number);

}  // namespace muster::hooks
