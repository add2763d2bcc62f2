// What would fit in place of a request that was refused. It asks the controller what there is, so
// it is only for people: programs get Slurm's text alone.
#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/options/options.h"
#include "wire/client_messages.h"

namespace muster::cli {

// Prints advice on a terminal or with -v, if there is any.
void advise(std::string_view program, const JobOptions& options, const Error& error);

// The sentences, one per line. `is_embedded`: the cluster of `muster up`, whose owner can change
// it.
std::string advice_on(const JobRequest& spec, const Error& error, const wire::NodesReply& site,
                      bool is_embedded);

}  // namespace muster::cli
