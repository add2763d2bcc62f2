// scontrol show topology.
#pragma once

#include <string>

#include "cli/scontrol/session.h"
#include "model/node/topology.h"

namespace muster::cli {

// "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[1-2]"
std::string switch_text(const Switch& s);
void show_topology(ScontrolSession& session, const std::string& name);

}  // namespace muster::cli
