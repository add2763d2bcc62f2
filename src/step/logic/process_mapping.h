// PMI_process_mapping: the node of each rank of a step, in the notation of MPI libraries:
// "(vector,(first node,nodes,ranks on each),...)".
#pragma once

#include <string>
#include <vector>

#include "wire/node_messages.h"

namespace muster {

std::string process_mapping(const std::vector<wire::NodeRanks>& layout);

}  // namespace muster
