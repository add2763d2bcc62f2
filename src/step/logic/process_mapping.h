// PMI_process_mapping: which node each rank of a step is on, in the notation that MPI libraries
// read: "(vector,(first node,nodes,ranks on each),...)".
#pragma once

#include <string>
#include <vector>

#include "wire/node_messages.h"

namespace muster {

std::string process_mapping(const std::vector<wire::NodeRanks>& layout);

}  // namespace muster
