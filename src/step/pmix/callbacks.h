// Callbacks of the PMIx library. They run on its own thread, and pass requests on to the server's.
#pragma once

#include <cstdint>

#include "step/pmix/library.h"

namespace muster::step {

class PmixServer;

// The library takes one set of functions per process, and passes them no context.
void set_pmix_server(PmixServer* server);
pmix_server_module_t* pmix_callbacks();

// Asks the library for data of a task on this node, for another node; the server gets the answer.
struct RemoteRequest {
  std::uint32_t place = 0, id = 0;
};
pmix_status_t ask_pmix_for_data(const PmixLibrary& pmix, const pmix_proc_t& proc,
                                RemoteRequest request);

}  // namespace muster::step
