// Makes calls of submit scripts, and carries out their answers.
#include "controller/hooks/vetting.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text/string_block.h"
#include "base/text/strings.h"
#include "controller/hooks/job_fields.h"
#include "controller/hooks/partition_fields.h"
#include "controller/hooks/slurm_errors.h"
#include "controller/hooks/update_fields.h"
#include "controller/submit/membership.h"
#include "controller/submit/partition_choice.h"
#include "controller/submit/submissions.h"
#include "controller/submit/user_fields.h"
#include "controller/update/update.h"

namespace muster::controller {

namespace {

constexpr std::size_t kMostJobs = 1000;  // in one update
// Of what a call repeats for each job; a frame takes more.
constexpr std::size_t kMostBytes = wire::kMostHookBytes / 2;

void add(wire::HookFields& fields, std::string_view name, std::uint64_t number) {
  fields.push_back({std::string(name), {}, number});
}
void add(wire::HookFields& fields, std::string_view name, const Text& text) {
  if (!text.empty()) fields.push_back({std::string(name), text.str(), {}});
}

// What the user would get without naming an account or a QOS.
void add_defaults(const Cluster& cluster, const JobRequest& request, wire::HookFields& fields) {
  auto named = named_partitions(cluster, request.partition);
  if (!named) return;
  JobRequest bare;
  bare.uid = request.uid;
  bare.user_name = request.user_name;
  const auto membership = membership_of(cluster, bare, named->front()->name);
  if (!membership) return;
  add(fields, "default_account", membership->account);
  add(fields, "default_qos", membership->qos);
}

wire::HookPart part_of(const Cluster& cluster, const wire::SubmitRequest& request,
                       const JobRequest& spec, std::size_t index) {
  wire::HookPart part{.given = job_fields(spec)};
  if (!request.components.empty()) {
    add(part.given, "het_job_offset", index);
    add(part.given, "pack_job_offset", index);
  }
  if (request.immediate) add(part.given, "immediate", 1);
  add_defaults(cluster, spec, part.given);
  if (!spec.script_args.empty()) {
    part.argv.push_back(spec.command.str());
    for (const Text& word : spec.script_args) part.argv.push_back(word.str());
  }
  if (spec.kind == JobKind::batch) {
    part.environment = request.environment;
    if (index == 0) part.given.push_back({"script", request.script, {}});
  }
  return part;
}

void add_partitions(const Cluster& cluster, wire::HookCall& call) {
  for (const Partition& partition : *cluster.partitions)
    call.partitions.push_back({.given = partition_fields(partition)});
}

}  // namespace

bool is_vetted(const wire::Request& request) {
  if (const auto* update = std::get_if<wire::UpdateRequest>(&request))
    return update->kind == wire::UpdateRequest::Kind::job;
  return std::holds_alternative<wire::SubmitRequest>(request);
}

Result<void> cut_down(const Authority& authority, const Caller& caller,
                      wire::SubmitRequest& request) {
  const bool by_operator = authority.is_operator(caller);
  auto cut = [&](Cow<JobRequest>& part) -> Result<void> {
    if (!part) return fail(ErrorCode::failure, "the request contains an empty component");
    if (auto ok = may_ask_for(*part, caller, by_operator); !ok) return ok;
    if (!by_operator) part = Cow<JobRequest>(as_user_may_say(std::move(part.edit())));
    return {};
  };
  if (auto ok = cut(request.spec); !ok) return ok;
  for (Cow<JobRequest>& component : request.components)
    if (auto ok = cut(component); !ok) return ok;
  // Each component's part has a copy of the environment.
  if (request.environment.size() > kMostBytes / (request.components.size() + 1))
    return fail(ErrorCode::too_large,
                "the environment is too large for so many components and a submit script");
  return {};
}

wire::HookCall call_for(const Cluster& cluster, const Caller& caller,
                        const wire::SubmitRequest& request) {
  wire::HookCall call{.uid = caller.uid.value};
  call.parts.push_back(part_of(cluster, request, *request.spec, 0));
  for (std::size_t i = 0; i < request.components.size(); ++i)
    call.parts.push_back(part_of(cluster, request, *request.components[i], i + 1));
  add_partitions(cluster, call);
  return call;
}

Result<UpdateCall> call_for(const Cluster& cluster, const Rights& rights, const Caller& caller,
                            const wire::UpdateRequest& request, Time now) {
  auto refs = jobs_to_update(cluster, request);
  if (!refs) return std::unexpected(refs.error());
  std::size_t bytes_of_settings = 0;  // each job's part has a copy
  for (const auto& [name, value] : request.settings)
    bytes_of_settings += name.size() + value.size();
  UpdateCall made;
  made.call = {.modifies = true, .uid = caller.uid.value};
  auto take = [&](const Job* job) {
    if (!job || !rights.may_manage(caller, *job)) return;
    if (std::ranges::find(made.jobs, job->id) != made.jobs.end()) return;
    made.jobs.push_back(job->id);
    wire::HookPart part{.given = update_fields(request.settings, *job, now)};
    add(part.given, "user_name", job->spec->user_name);
    add(part.given, "user_id", job->spec->uid.value);
    made.call.parts.push_back(std::move(part));
    made.call.jobs.push_back({.given = record_fields(*job)});
  };
  for (const wire::JobRef& ref : *refs) {
    const Job* job = cluster.jobs.find(ref.job);
    if (!job) continue;
    if (ref.component)
      take(cluster.jobs.find(JobId{ref.job.value + *ref.component}));
    else if (job->is_het() && job->leads() && ref.tasks.empty())
      for (const Job* component : cluster.components(*job)) take(component);
    else if (!ref.tasks.empty() && job->array_id)
      take(cluster.jobs.find(job->array_id));
    else
      take(job);
    if (made.jobs.size() > kMostJobs)
      return fail(fmt::format("an update of more than {} jobs is not possible with a submit script",
                              kMostJobs));
    if (made.jobs.size() * bytes_of_settings > kMostBytes)
      return fail(ErrorCode::too_large, "the update is too large for the site's submit script");
  }
  add_partitions(cluster, made.call);
  return made;
}

std::string changed_environment(const std::string& bytes,
                                const std::vector<wire::HookVariable>& changes) {
  std::map<std::string_view, const wire::HookVariable*> left;
  for (const wire::HookVariable& change : changes) left[change.name] = &change;
  StringBlock result;
  for (std::string_view entry : StringBlock(bytes)) {
    auto found = left.find(entry.substr(0, entry.find('=')));
    if (found == left.end()) {
      result.push_back(entry);
      continue;
    }
    if (found->second && found->second->value)
      result.push_back(fmt::format("{}={}", found->first, *found->second->value));
    found->second = nullptr;  // a second entry of the name goes
  }
  for (const auto& [name, change] : left)
    if (change && change->value) result.push_back(fmt::format("{}={}", name, *change->value));
  return result.bytes();
}

Result<void> take_answer(const wire::HookAnswer& answer, wire::SubmitRequest& request) {
  if (answer.parts.size() > request.components.size() + 1)
    return fail("an answer about more jobs than there are");
  for (std::size_t i = 0; i < answer.parts.size(); ++i) {
    JobRequest& spec = (i == 0 ? request.spec : request.components[i - 1]).edit();
    for (const wire::HookField& field : answer.parts[i].set) {
      if (field.name == "script") {
        if (i > 0 || spec.kind != JobKind::batch || !field.text)
          return fail("only batch jobs have a script, which is a text");
        request.script = *field.text;
      } else if (auto ok = set_job_field(spec, field); !ok) {
        return ok;
      }
    }
    for (const wire::HookVariable& variable : answer.parts[i].environment)
      if (variable.name.empty() ||
          variable.name.find_first_of(std::string_view("=\0", 2)) != std::string::npos)
        return fail(fmt::format("environment: \"{}\" is no name", variable.name));
    if (!answer.parts[i].environment.empty() && spec.kind == JobKind::batch)
      request.environment = changed_environment(request.environment, answer.parts[i].environment);
  }
  return {};
}

Result<SiteSays> take_answer(const wire::HookAnswer& answer, const std::vector<JobId>& jobs) {
  SiteSays says{.is_vetted = true};
  if (answer.parts.size() > jobs.size()) return fail("an answer about more jobs than there are");
  for (std::size_t i = 0; i < answer.parts.size(); ++i) {
    if (answer.parts[i].set.empty()) continue;
    auto settings = settings_of(answer.parts[i].set);
    if (!settings) return std::unexpected(settings.error());
    says.settings[jobs[i]] = std::move(*settings);
  }
  return says;
}

Error refusal_of(const wire::HookAnswer& answer) {
  std::string text = answer.refusal.empty() ? slurm_error_text(answer.code) : answer.refusal;
  return Error{ErrorCode::failure, std::move(text)};
}

}  // namespace muster::controller
