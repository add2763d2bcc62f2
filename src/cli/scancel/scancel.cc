// scancel: ends jobs or signals them. Plain ids and plain filters need one request; ids together
// with filters, and questions to the user, need the list of jobs first.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/lib/command.h"
#include "cli/lib/controller.h"
#include "cli/lib/own_job.h"
#include "cli/scancel/options.h"
#include "cli/tables/lists.h"

namespace muster::cli {

namespace {

// Whether the call only names jobs to end: then it does not complain about jobs that are gone.
// Other calls look up the jobs first, and report those that they do not find.
bool is_plain(const CancelOptions& options) {
  bool has_step = false;
  for (const wire::JobRef& ref : options.jobs) has_step |= ref.step.has_value();
  return !options.has_filter && !options.interactive && options.signal == 0 &&
         !options.batch_only && !has_step;
}

std::string kill_error(const wire::JobRef& ref, std::string_view text) {
  return fmt::format("Kill job error on job {} {}: {}", ref.step ? "step id" : "id",
                     wire::job_ref_text(ref), text);
}

void announce(const CancelOptions& options, const wire::JobRef& ref) {
  if (options.verbose == 0 || options.quiet) return;
  std::string_view what = ref.step             ? "step"
                          : options.full       ? "full job"
                          : options.batch_only ? "batch job"
                                               : "job";
  std::string id = wire::job_ref_text(ref);
  print_info(kScancel, options.signal ? fmt::format("Signal {} to {} {}", options.signal, what, id)
                                      : fmt::format("Terminating {} {}", what, id));
}

int report_errors(const CancelOptions& options, const wire::CancelReply& reply) {
  int code = 0;
  for (const auto& [ref, error] : reply.errors) {
    bool gone = error.code == ErrorCode::invalid_job_id || error.code == ErrorCode::already_done;
    bool loud = is_plain(options) ? options.verbose > 0 && !options.quiet : !options.quiet;
    if (!gone || loud) {
      bool own_code =
          error.code == ErrorCode::failure || error.code >= ErrorCode::not_supported_yet;
      const ErrorCode code_told =
          gone && !is_plain(options) ? ErrorCode::invalid_job_id : error.code;
      print_error(kScancel,
                  kill_error(ref, own_code ? error.text() : std::string(error_text(code_told))));
    }
    if (!gone)
      code = static_cast<int>(error.code) & 0xff;
    else if (!is_plain(options))
      code = kExitFailure;
  }
  return code;
}

std::string error_ref(const std::pair<wire::JobRef, Error>& entry) {
  return wire::job_ref_text(entry.first);
}

int failed(const Error& error) {
  print_error(kScancel, error.text());
  return kExitFailure;
}

int cancel_some(Controller& controller, const CancelOptions& options, wire::CancelRequest request) {
  request.signal = options.signal;
  request.batch_only = options.batch_only;
  request.full = options.full;
  request.sibling = options.sibling;
  request.asking_job = own_job();
  outlive_end_of(request.asking_job);
  if (is_plain(options))
    for (const wire::JobRef& ref : request.jobs) announce(options, ref);
  auto reply = controller.ask_for<wire::CancelReply>(request);
  if (!reply) return failed(reply.error());
  if (!is_plain(options))
    for (const wire::JobRef& ref : request.jobs)
      if (std::ranges::find(reply->errors, wire::job_ref_text(ref), error_ref) ==
          reply->errors.end())
        announce(options, ref);
  return report_errors(options, *reply);
}

// One request may name at most max_list_items jobs: a longer list is sent in several requests.
int cancel(Controller& controller, const CancelOptions& options, wire::CancelRequest request) {
  constexpr std::size_t kAtOnce = 5000;
  std::vector<wire::JobRef> jobs = std::exchange(request.jobs, {});
  int code = 0;
  std::size_t first = 0;
  do {
    const auto begin = jobs.begin() + static_cast<std::ptrdiff_t>(first);
    first = std::min(jobs.size(), first + kAtOnce);
    wire::CancelRequest some = request;
    some.jobs.assign(begin, jobs.begin() + static_cast<std::ptrdiff_t>(first));
    const int failure = cancel_some(controller, options, std::move(some));
    if (code == 0) code = failure;
  } while (first < jobs.size());
  return code;
}

Result<std::vector<wire::JobView>> active_jobs(Controller& controller, wire::JobFilter filter,
                                               const std::vector<wire::JobRef>& refs) {
  wire::JobsRequest request{.filter = std::move(filter)};
  request.filter.jobs = refs;
  for (wire::JobRef& ref : request.filter.jobs) ref.step.reset();
  if (request.filter.states.empty())
    request.filter.states = {JobState::pending, JobState::running, JobState::suspended};
  std::vector<wire::JobView> jobs;
  auto done = controller.stream(request, [&](wire::Answer&& answer) {
    if (auto* reply = std::get_if<wire::JobsReply>(&answer))
      for (wire::JobView& view : reply->jobs) jobs.push_back(std::move(view));
  });
  if (!done && done.error().code != ErrorCode::invalid_job_id) return std::unexpected(done.error());
  return jobs;
}

Result<std::vector<wire::JobView>> matching_jobs(Controller& controller,
                                                 const CancelOptions& options) {
  auto jobs = active_jobs(controller, options.filter, options.jobs);
  if (jobs && !options.wckey.empty())
    std::erase_if(
        *jobs, [&](const wire::JobView& view) { return view.job->spec->wckey != options.wckey; });
  return jobs;
}

bool concerns(const wire::JobRef& ref, const Job& job) {
  if (ref.component) return ref.job == job.het_id && *ref.component == job.het_offset;
  if (ref.job != job.id && ref.job != job.array_id && ref.job != job.het_id) return false;
  if (ref.tasks.empty()) return true;
  return job.task_id != kNoTask ? ref.tasks.contains(job.task_id)
                                : ref.tasks.intersects(job.waiting_tasks);
}

// The whole record: a waiting array by its own id, a task as "12_3".
wire::JobRef ref_of(const Job& job) {
  wire::JobRef ref;
  ref.job = job.array_id ? job.array_id : job.id;
  if (job.array_id && job.task_id != kNoTask) ref.tasks.insert(job.task_id);
  if (job.array_id && job.is_array_record()) ref.tasks = job.waiting_tasks;
  return ref;
}

// The part of a record that `ref` means. Tasks of an array are separate, so that a filter or a "no"
// can spare single tasks.
wire::JobRef part_of(const wire::JobRef& ref, const Job& job) {
  if (ref.step || !job.array_id) return ref;
  wire::JobRef part = ref_of(job);
  if (!ref.tasks.empty()) part.tasks = part.tasks.intersect(ref.tasks);
  return part;
}

bool confirmed(const wire::JobRef& ref, const Job& job) {
  std::string question =
      fmt::format("Cancel {}={} name={} partition={} [y/n]? ", ref.step ? "step_id" : "job_id",
                  wire::job_ref_text(ref), job.own.name.view(), job.partition.view());
  while (true) {
    std::fputs(question.c_str(), stdout);
    std::fflush(stdout);
    char line[128];
    if (!std::fgets(line, sizeof line, stdin)) return false;
    if (line[0] == 'y' || line[0] == 'Y') return true;
    if (line[0] == 'n' || line[0] == 'N') return false;
  }
}

const Job* find_job(const std::vector<wire::JobView>& jobs, const wire::JobRef& ref) {
  auto found = std::ranges::find_if(
      jobs, [&](const wire::JobView& view) { return concerns(ref, *view.job); });
  return found == jobs.end() ? nullptr : &*found->job;
}

// A job that exists but does not match the filter is no error.
int report_missing(Controller& controller, const CancelOptions& options,
                   const std::vector<wire::JobRef>& refs) {
  if (refs.empty()) return 0;
  auto others = active_jobs(controller, {}, refs);
  if (!others) return failed(others.error());
  int code = 0;
  for (const wire::JobRef& ref : refs) {
    if (find_job(*others, ref)) continue;
    if (!options.quiet)
      print_error(kScancel, kill_error(ref, error_text(ErrorCode::invalid_job_id)));
    code = kExitFailure;
  }
  return code;
}

// The records that the ids mean, each once. Ids that mean none are added to `missing`.
std::vector<std::pair<wire::JobRef, const Job*>> chosen(const std::vector<wire::JobView>& jobs,
                                                        const CancelOptions& options,
                                                        std::vector<wire::JobRef>& missing) {
  std::vector<std::pair<wire::JobRef, const Job*>> out;
  std::set<std::string> known;
  auto take = [&](wire::JobRef ref, const Job& job) {
    if (known.insert(wire::job_ref_text(ref)).second) out.emplace_back(std::move(ref), &job);
  };
  if (options.jobs.empty())
    for (const wire::JobView& view : jobs) take(ref_of(*view.job), *view.job);
  for (const wire::JobRef& ref : options.jobs) {
    bool found = false;
    for (const wire::JobView& view : jobs) {
      if (!concerns(ref, *view.job)) continue;
      take(part_of(ref, *view.job), *view.job);
      found = true;
    }
    if (!found) missing.push_back(ref);
  }
  return out;
}

int cancel_selected(Controller& controller, const CancelOptions& options) {
  auto jobs = matching_jobs(controller, options);
  if (!jobs) return failed(jobs.error());
  std::vector<wire::JobRef> missing;
  wire::CancelRequest request;
  for (auto& [ref, job] : chosen(*jobs, options, missing))
    if (!options.interactive || confirmed(ref, *job)) request.jobs.push_back(std::move(ref));
  // The controller checks the filter again: a waiting task may have started meanwhile.
  if (options.has_filter) request.filter = options.filter;
  const int code = report_missing(controller, options, missing);
  if (jobs->empty() && options.has_filter && options.verbose > 0 && !options.quiet)
    print_error(kScancel,
                "No active jobs match ALL job filters, including: " + options.filter_text);
  if (request.jobs.empty()) return code;
  int cancel_code = cancel(controller, options, std::move(request));
  return cancel_code ? cancel_code : code;
}

int run(CancelOptions options) {
  auto controller = Controller::connect();
  if (!controller) return failed(controller.error());
  const std::string& own = controller->config().cluster_name;
  if (auto known = check_clusters(kScancel, options.clusters, own); !known)
    return print(known.error());
  // A filter of a user who is not root means only that user's jobs.
  if (options.has_filter && options.filter.uids.empty() && ::geteuid() != 0)
    options.filter.uids = {Uid{::geteuid()}};
  // To report a refusal for each job of other users, the list of jobs is needed.
  bool names_others = ::geteuid() != 0 && options.has_filter &&
                      options.filter.uids != std::vector{Uid{::geteuid()}};
  bool needs_list = options.interactive || !options.wckey.empty() || names_others ||
                    (options.has_filter && (!options.jobs.empty() || options.verbose > 0));
  if (needs_list) return cancel_selected(*controller, options);
  wire::CancelRequest request;
  request.jobs = options.jobs;
  if (options.has_filter) request.filter = options.filter;
  return cancel(*controller, options, std::move(request));
}

}  // namespace

int scancel_main(int argc, char** argv) {
  auto options = parse_cancel(std::vector<std::string>(argv + 1, argv + argc));
  if (!options) return print(options.error());
  return run(std::move(*options));
}

}  // namespace muster::cli
