// Connects srun to the nodes of its step.
#include "cli/srun/connect.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/codec/codec.h"
#include "cli/lib/step_connection.h"
#include "cli/srun/step.h"

namespace muster::cli {

namespace {

wire::AttachRequest attach_request(const StepToJoin& step, const Section& run) {
  const std::vector<wire::StepPlace>& places = step.reply.places;
  const wire::StepPlace& where = places[run.first];
  wire::AttachRequest request;
  request.ref = {where.job, where.attempt, step.reply.step};
  request.key = where.key;
  request.sends_input = step.sends_input;
  request.place = static_cast<std::uint32_t>(run.first);
  request.below.width = step.config.tree_width;
  for (std::size_t i = run.first + 1; i < run.first + run.count; ++i)
    request.below.branches.push_back(branch_below(step.config, places[i], i));
  return request;
}

// Slurm's text for a node that cannot be reached.
std::string in_words(const Error& error) {
  return error.code == ErrorCode::communication ? "Communication connection failure" : error.text();
}

}  // namespace

Result<io::Channel> join_places(const StepToJoin& step, const Section& run, bool exchanges) {
  wire::AttachRequest request = attach_request(step, run);
  request.exchanges = exchanges;
  const wire::Branch node = branch_of(step.reply.places[run.first], run.first);
  auto channel = io::connect_to_node_patiently(access_to_nodes(step.config), node);
  if (!channel) return channel;
  if (auto sent = channel->send(encode(wire::NodeCall{request})); !sent)
    return std::unexpected(sent.error());
  return channel;
}

void StepRunner::say_launch_failed(const Place& place, std::string_view why) const {
  print_error(plan_.program, fmt::format("Task launch for StepId={} failed on node {}: {}",
                                         step_text(), place.where.node.view(), why));
}

bool StepRunner::connect() {
  constexpr std::size_t kAtOnce = 16;
  const StepToJoin step{reply_, controller_.config(), streams_.has_input()};
  std::vector<ExchangeHub::Link> exchanges;
  if (!plan_.task.mpi.empty())
    for (const Link& link : links_) exchanges.push_back({link.run, std::nullopt});
  const std::size_t count = links_.size() + exchanges.size();
  std::size_t threads = std::min(count, count > 4 ? kAtOnce : std::size_t{1});
  std::atomic<std::size_t> next{0};
  std::atomic<bool> all{true};
  auto join = [&](const Section& run, std::optional<io::Channel>& into, bool for_exchange) {
    auto channel = join_places(step, run, for_exchange);
    if (channel) {
      into.emplace(std::move(*channel));
      return;
    }
    all = false;
    say_launch_failed(places_[run.first], in_words(channel.error()));
  };
  auto work = [&] {
    for (std::size_t i; (i = next++) < count;) {
      if (i < links_.size()) {
        join(links_[i].run, links_[i].channel, false);
      } else {
        ExchangeHub::Link& link = exchanges[i - links_.size()];
        join(link.run, link.channel, true);
      }
    }
  };
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  if (all) {
    if (!exchanges.empty()) hub_ = std::make_unique<ExchangeHub>(std::move(exchanges));
    return true;
  }
  if (plan_.is_observer) return false;
  print_error(plan_.program, "Application launch failed: Communication connection failure");
  controller_.cancel_step(job_, reply_.step);
  return false;
}

}  // namespace muster::cli
