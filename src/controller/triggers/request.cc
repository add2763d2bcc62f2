// strigger --set and --clear: who may, and what a trigger may say.
#include <algorithm>

#include "base/text/hostlist.h"
#include "controller/triggers/triggers.h"

namespace muster::controller {

namespace {

constexpr std::size_t kTriggersPerUser = 100, kTriggersOfOperators = 1000;
constexpr std::size_t kLongestProgram = 1024;
constexpr Seconds kLargestOffset{32000};

bool is_same(const Trigger& a, const Trigger& b) {
  return a.event == b.event && a.job == b.job && a.nodes == b.nodes && a.offset == b.offset &&
         a.uid == b.uid && a.program == b.program && a.permanent == b.permanent;
}

bool has_control_character(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace

// Programs run as their owner. If slurmctld is not root, it can run them as itself alone.
bool Triggers::may_set(Caller caller, const Trigger& trigger) const {
  const Uid slurm_user = ledger_.authority().slurm_user;
  if (caller.uid == slurm_user) return true;
  if (slurm_user.value != 0 || !ledger_.settings().user_triggers) return false;
  const Job* job = trigger.job ? ledger_.cluster().jobs.find(trigger.job) : nullptr;
  return job && job->spec->uid == caller.uid;
}

Result<void> Triggers::check_place(const Trigger& trigger) const {
  if (is_about_job(trigger.event) || trigger.job) {
    const Job* job = trigger.job ? ledger_.cluster().jobs.find(trigger.job) : nullptr;
    if (!job || is_ended(job->state)) return fail(ErrorCode::invalid_job_id);
  }
  if (trigger.nodes.empty()) return {};
  if (!is_about_nodes(trigger.event) || trigger.job)
    return fail(ErrorCode::failure, "A trigger is about nodes or about a job");
  auto nodes = ledger_.cluster().nodes_named(trigger.nodes);
  return nodes ? Result<void>{} : std::unexpected(nodes.error());
}

Result<void> Triggers::check(Caller caller, const Trigger& trigger) const {
  const std::string_view program = trigger.program;
  if (!program.starts_with('/') || program.size() > kLongestProgram ||
      has_control_character(program))
    return fail(ErrorCode::failure, "Invalid program of a trigger");
  if (trigger.offset > kLargestOffset || trigger.offset < -kLargestOffset)
    return fail(ErrorCode::failure, "The offset of a trigger is out of range");
  if (auto ok = check_place(trigger); !ok) return ok;
  if (!may_set(caller, trigger)) return fail(ErrorCode::access_denied);
  const auto& all = *ledger_.cluster().triggers;
  if (std::ranges::any_of(all, [&](const Trigger& t) { return is_same(t, trigger); }))
    return fail(ErrorCode::failure, std::string(kDuplicateTrigger));
  const auto own = std::ranges::count(all, trigger.uid, &Trigger::uid);
  const auto most =
      ledger_.authority().is_operator(caller) ? kTriggersOfOperators : kTriggersPerUser;
  if (static_cast<std::size_t>(own) >= most)
    return fail(ErrorCode::failure, "Too many triggers of this user");
  return {};
}

wire::Answer Triggers::set(Caller caller, Trigger trigger) {
  trigger.uid = caller.uid;
  trigger.gid = caller.gid;
  trigger.due = {};
  trigger.about = {};
  if (auto ok = check(caller, trigger); !ok) return ok.error();
  trigger.id = ledger_.cluster().last_trigger + 1;
  ledger_.record(TriggerChanged{.trigger = std::move(trigger)});
  return wire::Done{};
}

wire::Answer Triggers::clear(Caller caller, const wire::ClearTriggersRequest& request) {
  std::vector<Trigger> meant;
  for (const Trigger& trigger : *ledger_.cluster().triggers)
    if ((!request.id || trigger.id == request.id) && (!request.job || trigger.job == request.job) &&
        (!request.user || trigger.uid == *request.user))
      meant.push_back(trigger);
  const bool is_operator = ledger_.authority().is_operator(caller);
  const bool names_other = request.user && *request.user != caller.uid;
  if (!is_operator && (names_other || std::ranges::any_of(meant, [&](const Trigger& trigger) {
                         return trigger.uid != caller.uid;
                       })))
    return Error{ErrorCode::access_denied, {}};
  if (meant.empty() || (!request.id && !request.job && !request.user))
    return Error{ErrorCode::failure, std::string(kNoSuchTrigger)};
  for (const Trigger& trigger : meant) remove(trigger);
  return wire::Done{};
}

}  // namespace muster::controller
