// squeue without its connection: options and jobs in, text out.
#pragma once

#include <expected>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cli/lib/errors.h"
#include "cli/squeue/row.h"

namespace muster::cli {

struct QueueOptions {
  wire::JobFilter filter;
  std::vector<std::string> users, states;  // as written
  std::string format, long_format;         // -o, -O
  std::string sort;
  std::string clusters;
  bool all = false, array = false, header = true, json = false, long_form = false, start = false,
       steps = false, no_convert = false, by_partition = false,
       nobody = false;  // nothing that was asked for exists
  int iterate_s = 0, verbose = 0;
};

// Reserved before the jobs arrive: JobsReply::at_most.
using JobViews = std::vector<wire::JobView>;

// The command line overrides the environment. If there is nothing to do, the Refusal's exit code is
// 0.
std::expected<QueueOptions, Refusal> parse_squeue(std::span<const std::string> words);

// The requested states, for the filter and for checking received jobs.
struct WantedStates {
  bool all = false, completing = false, special_exit = false;
  std::set<JobState> states;
};
std::expected<WantedStates, Refusal> wanted_states(const std::vector<std::string>& names);
bool is_wanted(const WantedStates& wanted, const wire::JobLine& job);

struct QueueListing {
  Format<JobRow> job_format;
  std::vector<SortKey<JobRow>> job_sort;
  Format<StepRow> step_format;
  std::vector<SortKey<StepRow>> step_sort;
  std::vector<std::string> complaints;      // about the format; the list is printed all the same
  wire::Detail detail = wire::Detail::all;  // the detail of jobs that the columns need
};
std::expected<QueueListing, Refusal> make_listing(const QueueOptions& options);

using QueueJobs = std::vector<QueueJob>;
// The jobs point into the views.
QueueJobs jobs_of(const JobViews& views, Time now);

// Sorts and prints the jobs; changes `jobs`.
void list_queue(QueueJobs& jobs, const QueueOptions& options, const QueueListing& listing,
                QueueContext& context, std::string& out);

// --- tasks of arrays ---

// The tasks that were asked for by number; nothing if the whole array was.
std::optional<IdSet> asked_tasks(const std::vector<wire::JobRef>& refs, JobId array);
void keep_asked_tasks(QueueJobs& jobs, const std::vector<wire::JobRef>& asked);
// Moves waiting tasks with records of their own back to the row of their array. New texts are kept
// in the context.
void join_waiting_tasks(QueueJobs& jobs, QueueContext& context);

std::string queue_json(const JobViews& jobs, const RecordContext& context);

}  // namespace muster::cli
