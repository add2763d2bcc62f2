// muster explain: why a job waits, when it is expected to start and what would start it sooner; or
// what became of it.
#include <fmt/format.h>

#include "cli/explain_text.h"
#include "cli/lib/controller.h"
#include "cli/lib/errors.h"
#include "cli/lib/usage.h"
#include "cli/muster_embedded.h"

namespace muster::cli {

namespace {

int fail_with(std::string_view text) {
  print_error("muster", text);
  return kExitFailure;
}

}  // namespace

int muster_explain(std::vector<std::string_view> args) {
  bool json = false;
  std::optional<wire::JobRef> job;
  for (std::string_view word : args) {
    if (word == "--json") {
      json = true;
    } else if (word.starts_with('-')) {
      return fail_with(fmt::format("unknown option '{}' of explain", word));
    } else if (job) {
      return fail_with("explain takes one job");
    } else if (auto ref = wire::parse_job_ref(word)) {
      job = *ref;
    } else {
      return fail_with(fmt::format("'{}' is not the id of a job", word));
    }
  }
  if (!job) return fail_with("say which job to explain");
  auto controller = Controller::connect();
  if (!controller) return fail_with(controller.error().text());
  auto reply = controller->ask_for<wire::ExplainReply>(wire::ExplainRequest{*job});
  if (!reply) return fail_with(reply.error().text());
  std::fputs((json ? explanation_json(*reply) : explanation_text(*reply)).c_str(), stdout);
  return 0;
}

}  // namespace muster::cli
