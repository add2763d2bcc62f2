// Makes the scripts' calls, and does what their answers say.
#include "slurmctld/vetting.h"

#include <utility>

#include <fmt/format.h>

#include "io/log.h"

namespace muster::daemon {

struct Vetting::Question {
  controller::Caller caller;
  wire::Request request;
  Then then;
  std::vector<JobId> jobs = {};  // of an update: those that the call's parts are about
};

struct Vetting::Verdict {
  std::optional<Error> refusal = {};  // by the script
  std::optional<Error> fault = {};    // of the script
  std::vector<std::string> lines = {};
  // The request with what the script set.
  wire::Request request = {};
  controller::SiteSays says = {};
};

namespace {

// `request` is a copy: after an error the request that was asked about is still as it was.
Result<void> take(const wire::HookAnswer& answer, const std::vector<JobId>& jobs,
                  wire::Request& request, controller::SiteSays& says) {
  if (auto* submission = std::get_if<wire::SubmitRequest>(&request)) {
    says.is_vetted = true;
    return controller::take_answer(answer, *submission);
  }
  auto said = controller::take_answer(answer, jobs);
  if (!said) return std::unexpected(said.error());
  says = std::move(*said);
  says.asked.emplace(jobs.begin(), jobs.end());
  return {};
}

}  // namespace

// On a thread of the pool.
Vetting::Verdict Vetting::verdict_on(Question& question) {
  Verdict verdict{.request = question.request};
  const auto published = world_.published();
  const Cluster& cluster = published->cluster;
  wire::HookCall call;
  if (auto* submission = std::get_if<wire::SubmitRequest>(&question.request)) {
    call = controller::call_for(cluster, question.caller, *submission);
  } else {
    auto made = controller::call_for(cluster, controller::Rights(world_.authority, cluster),
                                     question.caller,
                                     std::get<wire::UpdateRequest>(question.request), world_.now());
    if (!made) {
      verdict.refusal = made.error();
      return verdict;
    }
    verdict.says.asked.emplace();  // the core refuses to update a job that the script has not seen
    if (made->call.parts.empty()) return verdict;
    question.jobs = std::move(made->jobs);
    call = std::move(made->call);
  }
  ScriptOutcome outcome = scripts_.ask(call);
  verdict.lines = std::move(outcome.lines);
  if (!outcome.answer)
    verdict.fault = outcome.answer.error();
  else if (outcome.answer->code != 0)
    verdict.refusal = controller::refusal_of(*outcome.answer);
  else if (auto taken = take(*outcome.answer, question.jobs, verdict.request, verdict.says); !taken)
    verdict.fault = taken.error();
  return verdict;
}

void Vetting::ask(controller::ReplyTo to, controller::Caller caller, wire::Request request,
                  std::size_t bytes, Then then) {
  const Uid user = caller.uid;
  auto question =
      std::make_shared<Question>(std::move(caller), std::move(request), std::move(then));
  if (auto* submission = std::get_if<wire::SubmitRequest>(&question->request))
    if (auto ok = controller::cut_down(world_.authority, question->caller, *submission); !ok)
      return send_part(world_.server, to, ok.error(), false);
  auto work = [this, to, question] {
    auto verdict = std::make_shared<Verdict>(verdict_on(*question));
    world_.post([this, to, question, verdict] {
      if (!world_.server.is_open(to.connection)) return;
      world_.server.resume(to.connection);
      carry_out(to, *question, *verdict);
    });
  };
  world_.shares.begin(scripts_.pool(), to, user, bytes, std::move(work), FairShares::Turns::alike);
}

void Vetting::carry_out(controller::ReplyTo to, Question& question, Verdict& verdict) {
  for (const std::string& line : verdict.lines)
    send_part(world_.server, to, wire::Notice{line}, true);
  if (verdict.refusal) return send_part(world_.server, to, *verdict.refusal, false);
  if (!verdict.fault) return question.then(std::move(verdict.request), verdict.says);
  const bool accepts = scripts_.options().accepts_on_failure;
  const std::string why = verdict.fault->text();
  faults_.write(io::LogLevel::error,
                fmt::format("job_submit: {}; the request of uid {} is {} (JobSubmitOnFailure)", why,
                            question.caller.uid.value, accepts ? "accepted" : "refused"));
  if (accepts) return question.then(std::move(question.request), {});
  send_part(world_.server, to, Error{ErrorCode::failure, "the site's submit script failed: " + why},
            false);
}

}  // namespace muster::daemon
