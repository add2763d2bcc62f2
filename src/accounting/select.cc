// Fills in the defaults of a query, and compares each record with it.
#include "accounting/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "base/text/hostlist.h"
#include "base/text/strings.h"

namespace muster::accounting {

namespace {

Time midnight_before(Time now) {
  std::time_t seconds = unix_seconds(now);
  std::tm local{};
  localtime_r(&seconds, &local);
  local.tm_hour = local.tm_min = local.tm_sec = 0;
  local.tm_isdst = -1;
  return from_unix_seconds(std::mktime(&local));
}

Window make_window(const wire::AccountingRequest& request, bool by_state, Time now) {
  Window window;
  bool by_job = !request.jobs.empty();
  if (is_set(request.start))
    window.start = request.start;
  else if (!by_job)
    window.start = by_state ? now : midnight_before(now);

  if (is_set(request.end)) {
    window.end = request.end;
  } else if (by_state && is_set(request.start)) {
    window.end = request.start;
    window.is_moment = true;
  } else {
    window.end = now;
    window.end_is_now = true;
  }
  return window;
}

// States that only accounting knows, in addition to those of model/job/job_state.h.
struct AccountingState {
  std::string_view name, code;
};
constexpr std::array kAccountingStates = {AccountingState{"REQUEUED", "RQ"},
                                          AccountingState{"RESIZING", "RS"},
                                          AccountingState{"REVOKED", "RV"}};

Result<void> add_state(Selection& selection, std::string_view text) {
  for (const AccountingState& state : kAccountingStates) {
    if (!iequals(text, state.name) && !iequals(text, state.code)) continue;
    selection.ended_states.emplace(state.name);
    return {};
  }
  auto state = parse_job_state(text);
  if (!state) return fail(fmt::format("unrecognized job state value '{}'", text));
  switch (*state) {
    case JobState::pending:
      selection.pending = true;
      break;
    case JobState::running:
      selection.running = true;
      break;
    case JobState::suspended:
      selection.suspended = true;
      break;
    default:
      selection.ended_states.emplace(state_name(*state));
  }
  return {};
}

// "CANCELLED" of "CANCELLED by 0".
std::string state_of(const JobRecord& job) {
  if (job.state_text.empty()) return std::string(state_name(job.state));
  return upper(split(job.state_text.view(), ' ').front());
}

bool was_in_a_state(const Selection& selection, const JobRecord& job) {
  const Window& window = selection.window;
  Time left_queue = is_set(job.started) ? job.started : job.ended;
  if (selection.pending && is_set(job.eligible) && window.begun_before_end(job.eligible) &&
      (!is_set(left_queue) || unix_seconds(left_queue) > unix_seconds(window.start)))
    return true;
  bool ran = is_set(job.started) && window.begun_before_end(job.started) &&
             (!is_set(job.ended) || unix_seconds(job.ended) > unix_seconds(window.start));
  if (selection.running && ran) return true;
  if (selection.suspended && ran && (job.state == JobState::suspended || job.suspended > Millis{0}))
    return true;
  return is_set(job.ended) && !window.opens_after(job.ended) &&
         unix_seconds(job.ended) <= unix_seconds(window.end) &&
         selection.ended_states.contains(state_of(job));
}

bool was_there(const Selection& selection, const JobRecord& job) {
  const Window& window = selection.window;
  if (is_set(job.ended) && window.opens_after(job.ended)) return false;
  // A job that is asked for by its id is shown even before it may start; others only from then on.
  if (!selection.request.jobs.empty()) return window.begun_before_end(job.submitted);
  return is_set(job.eligible) && window.begun_before_end(job.eligible);
}

bool contains(const std::vector<Text>& wanted, std::string_view name) {
  return wanted.empty() ||
         std::ranges::any_of(wanted, [&](const Text& w) { return iequals(w, name); });
}

bool is_of_a_wanted_user(const wire::AccountingRequest& request, const JobRecord& job) {
  if (request.all_users || (request.users.empty() && request.uids.empty())) return true;
  return std::ranges::find(request.uids, job.uid) != request.uids.end() ||
         (!request.users.empty() && contains(request.users, job.user_name));
}

bool is_in_a_wanted_partition(const wire::AccountingRequest& request, const JobRecord& job) {
  return request.partitions.empty() ||
         std::ranges::any_of(split(job.partition.view(), ','), [&](std::string_view name) {
           return contains(request.partitions, name);
         });
}

bool ran_on_a_wanted_node(const Selection& selection, const JobRecord& job) {
  if (selection.nodes.empty()) return true;
  auto names = expand_hostlist(job.nodes.view());
  return names && std::ranges::any_of(
                      *names, [&](const std::string& n) { return selection.nodes.contains(n); });
}

}  // namespace

Result<Selection> make_selection(const wire::AccountingRequest& request, Time now) {
  Selection selection{.request = request, .window = {}, .ended_states = {}, .nodes = {}};
  selection.by_state = request.by_state || !request.states.empty();
  selection.window = make_window(request, selection.by_state, now);
  for (const Text& state : request.states)
    if (auto added = add_state(selection, state.view()); !added)
      return std::unexpected(added.error());
  std::size_t named = 0;
  for (const Text& list : request.nodes) {
    auto names = expand_hostlist(list.view());
    if (!names) return std::unexpected(names.error());
    named += names->size();
    if (named > kMaxHosts) return fail("more than a million nodes are named");
    selection.nodes.insert(names->begin(), names->end());
  }
  return selection;
}

bool names_job(const wire::JobRef& ref, const JobRecord& job) {
  if (ref.component) return job.het_id == ref.job && job.het_offset == *ref.component;
  if (ref.tasks.empty())
    return job.job == ref.job || job.array_id == ref.job || job.het_id == ref.job;
  return job.array_id == ref.job && job.task_id != kNoTask && ref.tasks.contains(job.task_id);
}

bool selects(const Selection& selection, const JobRecord& job) {
  const wire::AccountingRequest& request = selection.request;
  auto names_it = [&](const wire::JobRef& ref) { return names_job(ref, job); };
  if (!request.jobs.empty() && std::ranges::none_of(request.jobs, names_it)) return false;
  if (!is_of_a_wanted_user(request, job)) return false;
  if (!contains(request.accounts, job.account) || !contains(request.names, job.name) ||
      !contains(request.qos, job.qos))
    return false;
  if (!job.cluster.empty() && !contains(request.clusters, job.cluster)) return false;
  if (!is_in_a_wanted_partition(request, job)) return false;
  if (!(selection.by_state ? was_in_a_state(selection, job) : was_there(selection, job)))
    return false;
  return ran_on_a_wanted_node(selection, job);
}

}  // namespace muster::accounting
