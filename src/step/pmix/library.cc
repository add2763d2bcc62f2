// Loads the system's PMIx library.
#include "step/pmix/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace muster::step {
namespace {

constexpr const char* kLibrary = "libpmix.so.2";

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Result<PmixLibrary> load_pmix() {
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_GLOBAL);
  if (!library) return fail(fmt::format("--mpi=pmix needs {}: {}", kLibrary, dlerror()));
  PmixLibrary pmix;
  const bool whole = find(library, "PMIx_server_init", pmix.server_init) &&
                     find(library, "PMIx_server_finalize", pmix.server_finalize) &&
                     find(library, "PMIx_generate_regex", pmix.generate_regex) &&
                     find(library, "PMIx_generate_ppn", pmix.generate_ppn) &&
                     find(library, "PMIx_server_register_nspace", pmix.register_nspace) &&
                     find(library, "PMIx_server_register_client", pmix.register_client) &&
                     find(library, "PMIx_server_setup_fork", pmix.setup_fork) &&
                     find(library, "PMIx_server_dmodex_request", pmix.dmodex_request) &&
                     find(library, "PMIx_Error_string", pmix.error_string);
  if (!whole) return fail(fmt::format("{} is not one that --mpi=pmix can use", kLibrary));
  return pmix;
}

}  // namespace muster::step
