// The global table `slurm` of submit scripts, and names of Lua 5.1 that later versions lack.
#pragma once

#include <string>

struct lua_State;

namespace muster::hooks {

void add_slurm_table(lua_State* lua, const std::string& cluster);
// Functions of Lua 5.1, for which such scripts are written. False: the error is on the stack.
bool add_old_names(lua_State* lua);

}  // namespace muster::hooks
