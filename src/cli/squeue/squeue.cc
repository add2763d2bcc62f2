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
#include "cli/lib/own_groups.h"
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
};

std::expected<Fetched, Refusal> fetch(Controller& controller, const QueueOptions& options,
                                      const WantedStates& wanted, const QueueListing& listing) {
  Fetched fetched;
  fetched.now = clock_now();
  if (options.nobody) return fetched;
  wire::JobsRequest request{.filter = options.filter, .detail = listing.detail};
  request.filter.states.assign(wanted.states.begin(), wanted.states.end());
  if (wanted.special_exit) request.filter.states.push_back(JobState::pending);
  request.filter.completing = wanted.completing;
  request.filter.all_states =
      wanted.all || request.filter.states.empty();  // an empty list would select all states
  if (options.steps) {
    request.filter.all_states = false;
    request.filter.states = {JobState::running, JobState::suspended};
  }
  if (options.json) {  // all jobs, whatever the filters say
    request.filter = {};
    request.filter.all_states = true;
  }
  bool garbled = false;
  auto streamed = controller.stream(request, [&](wire::Answer&& answer) {
    auto* reply = std::get_if<wire::JobsReply>(&answer);
    if (!reply) return;
    fetched.now = reply->now;
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
    for (wire::JobLine line; lines.next(line);)
      if (is_wanted(wanted, line)) fetched.jobs.push_back({line});
    garbled |= !lines.ok();
  });
  if (garbled)
    return std::unexpected(Refusal{"slurm_load_jobs error: the answer cannot be read\n"});
  if (listing.detail != wire::Detail::least) {
    fetched.jobs = jobs_of(fetched.views, fetched.now);
    if (!options.steps)
      std::erase_if(fetched.jobs,
                    [&](const QueueJob& job) { return !is_wanted(wanted, job.line); });
  }
  if (streamed) return fetched;
  // If several ids are given, unknown ones are ignored.
  if (streamed.error().code == ErrorCode::invalid_job_id && options.filter.jobs.size() > 1)
    return fetched;
  std::string_view what = options.steps ? "slurm_get_job_steps" : "slurm_load_jobs";
  return std::unexpected(
      Refusal{fmt::format("{} error: {}\n", what, error_text(streamed.error().code))});
}

// Hides jobs in hidden partitions, and in partitions of other groups, from ordinary users unless
// they were asked for. If partitions are private, returns the error to print after the list.
std::expected<std::string, Refusal> drop_hidden(Controller& controller, const QueueOptions& options,
                                                QueueJobs& jobs) {
  if (options.all || options.json || own_uid() == Uid{0}) return {};
  if (!options.filter.jobs.empty() || !options.filter.partitions.empty()) return {};
  auto reply = controller.ask_for<wire::PartitionsReply>(wire::PartitionsRequest{});
  if (!reply) {
    std::string text = fmt::format("slurm_load_partitions: {}\n", reply.error().text());
    if (reply.error().code == ErrorCode::access_denied) return text;
    return std::unexpected(Refusal{std::move(text)});
  }
  std::set<std::string_view> hidden;
  for (const wire::PartitionView& view : reply->partitions)
    if (view.partition.hidden || !admits_own_groups(view.partition))
      hidden.insert(view.partition.name.view());
  if (!hidden.empty())
    std::erase_if(jobs, [&](const QueueJob& job) { return hidden.contains(job.line.partition); });
  return {};
}

Outcome check_nodes(Controller& controller, const QueueOptions& options) {
  if (options.filter.nodes.empty()) return {};
  auto reply = controller.ask_for<wire::NodesReply>(wire::NodesRequest{});
  if (!reply)
    return std::unexpected(
        Refusal{fmt::format("slurm_load_node error: {}\n", reply.error().text())});
  for (const Text& name : options.filter.nodes) {
    bool known = std::ranges::any_of(reply->nodes, [&](const wire::NodeView& view) {
      return view.node->config.name == name || view.node->config.hostname == name;
    });
    if (!known)
      return std::unexpected(
          Refusal{error_lines("squeue", fmt::format("Invalid node name {}", name.view()))});
  }
  return {};
}

Outcome run_once(Controller& controller, const QueueOptions& options, const WantedStates& wanted,
                 const QueueListing& listing) {
  auto fetched = fetch(controller, options, wanted, listing);
  if (!fetched) return std::unexpected(fetched.error());
  auto complaint = drop_hidden(controller, options, fetched->jobs);
  if (!complaint) return std::unexpected(complaint.error());
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
  std::fputs(complaint->c_str(), stderr);
  // Exit without freeing: to free ten thousand jobs would take longer than to print them.
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
  if (auto known = check_nodes(*controller, *options); !known) return known;
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
