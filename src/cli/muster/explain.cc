// muster explain: why a job waits, when it should start and what would start it sooner; or how it
// ended.
#include <fmt/format.h>

#include "cli/lib/controller.h"
#include "cli/lib/errors.h"
#include "cli/muster/embedded.h"
#include "cli/muster/explain_text.h"
#include "cli/options/usage.h"
#include "cli/sacct/fetch.h"

namespace muster::cli {

namespace {

int fail_with(std::string_view text) {
  print_error("muster", text);
  return kExitFailure;
}

// For a job that the controller has forgotten: the exit code, if accounting knows the job.
std::optional<int> told_by_accounting(Controller& controller, const wire::JobRef& job, bool json) {
  if (!controller.config().accounting) return std::nullopt;
  const wire::AccountingRequest request{.jobs = {job}, .all_users = true};
  auto rows = fetch_accounting("muster", controller, request);
  if (!rows || rows->empty()) return std::nullopt;
  std::fputs((json ? ended_json(*rows) : ended_text(*rows)).c_str(), stdout);
  return 0;
}

// Tasks of an array that have ended are told about together.
std::string told_of_array(Controller& controller, const wire::JobRef& array,
                          wire::ExplainReply& reply) {
  wire::JobsRequest request;
  request.filter.jobs = {array};
  request.filter.all_states = true;
  std::vector<wire::JobView> tasks;
  auto done = controller.stream(request, [&](wire::Answer&& answer) {
    if (auto* part = std::get_if<wire::JobsReply>(&answer))
      for (wire::JobView& view : part->jobs) tasks.push_back(std::move(view));
  });
  if (!done || tasks.size() < 2) return {};
  std::erase_if(reply.jobs, [](const wire::Explanation& e) { return is_ended(e.view.job->state); });
  reply.left_out = 0;
  return array_text(tasks);
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
  if (!reply && reply.error().code == ErrorCode::invalid_job_id)
    if (auto told = told_by_accounting(*controller, *job, json)) return *told;
  if (!reply) return fail_with(reply.error().text());
  std::string text;
  if (!json && !reply->jobs.empty() && reply->jobs.front().view.job->array_id && job->tasks.empty())
    text = told_of_array(*controller, *job, *reply);
  text += json ? explanation_json(*reply) : explanation_text(*reply);
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace muster::cli
