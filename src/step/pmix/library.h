// The system's PMIx library, loaded when a step asks for it: without it only --mpi=pmix is missing.
#pragma once

#include <pmix.h>
#include <pmix_server.h>

#include "base/result.h"

namespace muster::step {

struct PmixLibrary {
  decltype(&::PMIx_server_init) server_init = nullptr;
  decltype(&::PMIx_server_finalize) server_finalize = nullptr;
  decltype(&::PMIx_generate_regex) generate_regex = nullptr;
  decltype(&::PMIx_generate_ppn) generate_ppn = nullptr;
  decltype(&::PMIx_server_register_nspace) register_nspace = nullptr;
  decltype(&::PMIx_server_register_client) register_client = nullptr;
  decltype(&::PMIx_server_setup_fork) setup_fork = nullptr;
  decltype(&::PMIx_server_dmodex_request) dmodex_request = nullptr;
  decltype(&::PMIx_Error_string) error_string = nullptr;
};

Result<PmixLibrary> load_pmix();

}  // namespace muster::step
