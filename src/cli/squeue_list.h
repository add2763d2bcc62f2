// squeue without its connection: options in, jobs in, text out.
#pragma once

#include <deque>
#include <expected>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cli/lib/errors.h"
#include "cli/squeue_row.h"

namespace muster::cli {

struct QueueOptions {
  wire::JobFilter filter;
  std::vector<std::string> users, states;  // as written
  std::string format, long_format;         // -o, -O
  std::string sort;
  std::string clusters;
  bool all = false, array = false, header = true, json = false, long_form = false, start = false,
       steps = false, no_convert = false,
       nobody = false;  // nobody: nothing that exists was asked for
  int iterate_s = 0, verbose = 0;
};

// Thousands of them are never moved again as more arrive.
using JobViews = std::deque<wire::JobView>;

// Command line over environment. Nothing to do: the Refusal's exit code is 0.
std::expected<QueueOptions, Refusal> parse_squeue(std::span<const std::string> words);

// Which states are wanted, for the filter and for a look at what came.
struct WantedStates {
  bool all = false, completing = false, special_exit = false;
  std::set<JobState> states;
};
std::expected<WantedStates, Refusal> wanted_states(const std::vector<std::string>& names);
bool is_wanted(const WantedStates& wanted, const Job& job);

struct QueueListing {
  Format<JobRow> job_format;
  std::vector<SortKey<JobRow>> job_sort;
  Format<StepRow> step_format;
  std::vector<SortKey<StepRow>> step_sort;
  std::vector<std::string> complaints;  // about the format; the listing is printed all the same
};
std::expected<QueueListing, Refusal> make_listing(const QueueOptions& options);

std::string list_queue(const JobViews& jobs, const QueueOptions& options,
                       const QueueListing& listing, QueueContext& context);

std::string queue_json(const JobViews& jobs, QueueContext& context);

}  // namespace muster::cli
