// squeue: the jobs in the queue. Reads options, asks the controller, prints rows (list.cc) of
// fields (cli/records).
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <thread>

#include <fmt/format.h>

#include "cli/lib/command.h"
#include "cli/lib/controller.h"
#include "cli/lib/expect_memory.h"
#include "cli/squeue/list.h"
#include "cli/tables/lists.h"

namespace muster::cli {

namespace {

// Space is reserved for at most this many jobs.
constexpr std::size_t kReservedAtMost = 1'000'000;
// Approximate memory of a row, from the received line to the printed text.
constexpr std::size_t kBytesOfRow = 600;

struct Fetched {
  Time now;
  JobViews views;                 // empty if lines were received
  std::deque<std::string> parts;  // contain the texts of lines
  QueueJobs jobs;
  bool hides_nothing = false;
};

// The controller leaves out what was not asked for: jobs in other states, and those in partitions
// that are hidden or for other groups, which are the administrators' affair.
wire::JobsRequest request_of(const QueueOptions& options, const WantedStates& wanted,
                             wire::Detail detail) {
  wire::JobsRequest request{.filter = options.filter, .detail = detail};
  if (options.json) {  // all jobs, whatever else was asked
    request.filter = {};
    request.filter.all_states = true;
    return request;
  }
  request.hides = !options.all && own_uid() != Uid{0} && options.filter.jobs.empty() &&
                  options.filter.partitions.empty();
  request.checks_nodes = !options.filter.nodes.empty();
  if (options.steps) {
    request.filter.states = {JobState::running, JobState::suspended};
    return request;
  }
  request.filter.all_states = wanted.all;
  request.filter.states.assign(wanted.states.begin(), wanted.states.end());
  request.filter.completing = wanted.completing;
  request.filter.special_exit = wanted.special_exit;
  return request;
}

// Access is denied to the names of nodes alone: PrivateData=nodes.
std::unexpected<Refusal> refusal(const QueueOptions& options, const Error& error) {
  if (error.code == ErrorCode::invalid_node_name && !error.nodes.empty())
    return std::unexpected(
        Refusal{error_lines("squeue", fmt::format("Invalid node name {}", error.nodes))});
  const std::string_view what = error.code == ErrorCode::access_denied ? "slurm_load_node"
                                : options.steps                        ? "slurm_get_job_steps"
                                                                       : "slurm_load_jobs";
  return std::unexpected(Refusal{fmt::format("{} error: {}\n", what, error_text(error.code))});
}

std::expected<Fetched, Refusal> fetch(Controller& controller, const QueueOptions& options,
                                      const WantedStates& wanted, const QueueListing& listing) {
  Fetched fetched;
  fetched.now = clock_now();
  if (options.nobody || (!options.json && !options.steps && wanted.are_none())) return fetched;
  const wire::JobsRequest request = request_of(options, wanted, listing.detail);
  bool garbled = false;
  auto streamed = controller.stream(request, [&](wire::Answer&& answer) {
    auto* reply = std::get_if<wire::JobsReply>(&answer);
    if (!reply) return;
    fetched.now = reply->now;
    fetched.hides_nothing |= reply->hides_nothing;
    const std::size_t at_most = std::min<std::size_t>(reply->at_most, kReservedAtMost);
    if (listing.detail != wire::Detail::least) {
      fetched.views.reserve(at_most);
      std::ranges::move(reply->jobs, std::back_inserter(fetched.views));
      return;
    }
    if (fetched.parts.empty()) {
      expect_memory(at_most * kBytesOfRow);
      fetched.jobs.reserve(at_most);
    }
    wire::LineReader lines(fetched.parts.emplace_back(std::move(reply->lines)));
    for (wire::JobLine line; lines.next(line);) fetched.jobs.push_back({line});
    garbled |= !lines.ok();
  });
  if (garbled)
    return std::unexpected(Refusal{"slurm_load_jobs error: the answer cannot be read\n"});
  if (listing.detail != wire::Detail::least) fetched.jobs = jobs_of(fetched.views, fetched.now);
  if (streamed) return fetched;
  // If several ids are given, unknown ones are ignored.
  if (streamed.error().code == ErrorCode::invalid_job_id && options.filter.jobs.size() > 1)
    return fetched;
  return refusal(options, streamed.error());
}

Outcome run_once(Controller& controller, const QueueOptions& options, const WantedStates& wanted,
                 const QueueListing& listing) {
  auto fetched = fetch(controller, options, wanted, listing);
  if (!fetched) return std::unexpected(fetched.error());
  QueueContext context;
  context.now = fetched->now;
  context.cluster = controller.config().cluster_name;
  context.times = TimeStyle::from_environment("squeue", fetched->now);
  context.no_convert = options.no_convert;
  if (auto limit = parse_number<std::size_t>(env_text("SLURM_BITSTR_LEN")))
    context.task_text_limit = *limit;
  std::string out;
  if (options.verbose > 0) print_info("squeue", fmt::format("{} jobs", fetched->jobs.size()));
  if (!options.clusters.empty() && options.header)
    out += fmt::format("CLUSTER: {}\n", context.cluster);
  if (options.json)
    out += queue_json(fetched->views, context);
  else
    list_queue(fetched->jobs, options, listing, context, out);
  if (options.iterate_s > 0) out += '\n';
  if (!write_out(out)) return std::unexpected(Refusal{});
  if (fetched->hides_nothing)  // PrivateData=partitions
    std::fputs(
        fmt::format("slurm_load_partitions: {}\n", error_text(ErrorCode::access_denied)).c_str(),
        stderr);
  // The end: to free ten thousand jobs one by one would take longer than to print them.
  if (options.iterate_s == 0) std::_Exit(0);
  return {};
}

Outcome run(std::span<const std::string> words) {
  auto options = parse_squeue(words);
  if (!options) return std::unexpected(options.error());
  auto wanted = wanted_states(options->states);
  if (!wanted) return std::unexpected(wanted.error());
  auto listing = make_listing(*options);
  if (!listing) return std::unexpected(listing.error());
  for (const std::string& complaint : listing->complaints) print_error("squeue", complaint);
  auto controller = Controller::connect();
  if (!controller)
    return std::unexpected(
        Refusal{fmt::format("slurm_load_jobs error: {}\n", controller.error().text())});
  if (auto known = check_clusters("squeue", options->clusters, controller->config().cluster_name);
      !known)
    return known;
  while (true) {
    if (auto done = run_once(*controller, *options, *wanted, *listing); !done) return done;
    std::this_thread::sleep_for(Seconds{options->iterate_s});
  }
}

}  // namespace

int squeue_main(int argc, char** argv) {
  auto done = run(std::vector<std::string>(argv + 1, argv + argc));
  return done ? 0 : print(done.error());
}

}  // namespace muster::cli
