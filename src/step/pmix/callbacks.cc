// Callbacks of the PMIx library, which run on its own thread: each becomes work for the loop.
#include "step/pmix/callbacks.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "step/pmix/pmix_server.h"

namespace muster::step {
namespace {

std::atomic<PmixServer*> the_server{nullptr};

// Nothing to do when tasks connect or leave.
pmix_status_t on_connected(const pmix_proc_t*, void*, pmix_info_t*, std::size_t, pmix_op_cbfunc_t,
                           void*) {
  return PMIX_OPERATION_SUCCEEDED;
}
pmix_status_t on_finalized(const pmix_proc_t*, void*, pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_abort(const pmix_proc_t* proc, void*, int, const char* text, pmix_proc_t*,
                       std::size_t, pmix_op_cbfunc_t, void*) {
  PmixServer* server = the_server;
  if (!server) return PMIX_ERR_NOT_AVAILABLE;
  server->post([server, rank = proc->rank, said = std::string(text ? text : "")] {
    server->abort(rank, said);
  });
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_fence(const pmix_proc_t* procs, std::size_t count, const pmix_info_t*, std::size_t,
                       char* data, std::size_t size, pmix_modex_cbfunc_t call, void* context) {
  PmixServer* server = the_server;
  if (!server) return PMIX_ERR_NOT_AVAILABLE;
  std::vector<std::uint32_t> ranks;
  for (std::size_t i = 0; i < count; ++i) ranks.push_back(procs[i].rank);
  std::string bytes = data ? std::string(data, size) : std::string();
  server->post([server, ranks = std::move(ranks), bytes = std::move(bytes), call, context] {
    server->fence(ranks, bytes, {call, context});
  });
  return PMIX_SUCCESS;
}

pmix_status_t on_direct_modex(const pmix_proc_t* proc, const pmix_info_t*, std::size_t,
                              pmix_modex_cbfunc_t call, void* context) {
  PmixServer* server = the_server;
  if (!server) return PMIX_ERR_NOT_AVAILABLE;
  server->post(
      [server, rank = proc->rank, call, context] { server->request_data(rank, {call, context}); });
  return PMIX_SUCCESS;
}

void on_data(pmix_status_t status, char* data, std::size_t size, void* context) {
  std::unique_ptr<RemoteRequest> request(static_cast<RemoteRequest*>(context));
  PmixServer* server = the_server;
  if (!server) return;
  std::string bytes = data ? std::string(data, size) : std::string();
  server->post([server, asked = *request, status, bytes = std::move(bytes)] {
    server->answer_request(asked.place, asked.id, status, bytes);
  });
}

}  // namespace

void set_pmix_server(PmixServer* server) { the_server = server; }

pmix_server_module_t* pmix_callbacks() {
  static pmix_server_module_t module = [] {
    pmix_server_module_t functions{};
    functions.client_connected2 = on_connected;
    functions.client_finalized = on_finalized;
    functions.abort = on_abort;
    functions.fence_nb = on_fence;
    functions.direct_modex = on_direct_modex;
    return functions;
  }();
  return &module;
}

pmix_status_t ask_pmix_for_data(const PmixLibrary& pmix, const pmix_proc_t& proc,
                                RemoteRequest request) {
  auto kept = std::make_unique<RemoteRequest>(request);
  const pmix_status_t status = pmix.dmodex_request(&proc, on_data, kept.get());
  if (status == PMIX_SUCCESS) (void)kept.release();  // on_data() owns it now
  return status;
}

}  // namespace muster::step
