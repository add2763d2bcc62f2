// Joining a step: one connection to each root of the tree of its nodes, which reach the others, and
// another one for what MPI tasks tell each other.
#include <algorithm>
#include <atomic>
#include <iterator>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/codec/codec.h"
#include "cli/lib/step_connection.h"
#include "cli/srun/step.h"

namespace muster::cli {

wire::AttachRequest StepRunner::attach_request(const Link& link) const {
  const wire::StepPlace& where = places_[link.run.first].where;
  wire::AttachRequest request;
  request.ref = {where.job, where.attempt, reply_.step};
  request.key = where.key;
  request.sends_input = streams_.has_input();
  request.place = static_cast<std::uint32_t>(link.run.first);
  request.below.width = controller_.config().tree_width;
  for (std::size_t i = link.run.first + 1; i < link.run.first + link.run.count; ++i)
    request.below.branches.push_back(branch_below(controller_.config(), places_[i].where, i));
  return request;
}

Result<io::Channel> StepRunner::join_step(const wire::AttachRequest& request) const {
  const wire::Branch node = branch_of(places_[request.place].where, request.place);
  auto channel = io::connect_to_node_patiently(access_to_nodes(controller_.config()), node);
  if (!channel) return channel;
  if (auto sent = channel->send(encode(wire::NodeCall{request})); !sent)
    return std::unexpected(sent.error());
  return channel;
}

// A node that cannot be reached, as the reference says it.
std::string StepRunner::in_words(const Error& error) {
  return error.code == ErrorCode::communication ? "Communication connection failure" : error.text();
}

bool StepRunner::connect_link(Link& link) {
  auto channel = join_step(attach_request(link));
  if (channel)
    link.channel.emplace(std::move(*channel));
  else
    say_launch_failed(places_[link.run.first], in_words(channel.error()));
  return channel.has_value();
}

bool StepRunner::connect_exchange(Link& link) {
  wire::AttachRequest request = attach_request(link);
  request.exchanges = true;
  auto channel = join_step(request);
  if (channel)
    link.exchange.emplace(std::move(*channel));
  else
    say_launch_failed(places_[link.run.first], in_words(channel.error()));
  return channel.has_value();
}

void StepRunner::say_launch_failed(const Place& place, std::string_view why) const {
  print_error(plan_.program, fmt::format("Task launch for StepId={} failed on node {}: {}",
                                         step_text(), place.where.node.view(), why));
}

void StepRunner::start_hub() {
  std::vector<ExchangeHub::Link> links;
  for (Link& link : links_)
    if (link.exchange) links.push_back({link.run, std::exchange(link.exchange, std::nullopt)});
  if (!links.empty()) hub_ = std::make_unique<ExchangeHub>(std::move(links));
}

bool StepRunner::connect() {
  constexpr std::size_t kAtOnce = 16;
  const std::size_t exchanges = plan_.mpi.empty() ? 0 : links_.size();
  const std::size_t count = links_.size() + exchanges;
  std::size_t threads = std::min(count, count > 4 ? kAtOnce : std::size_t{1});
  std::atomic<std::size_t> next{0};
  std::atomic<bool> all{true};
  auto work = [&] {
    for (std::size_t i; (i = next++) < count;)
      if (i < links_.size() ? !connect_link(links_[i])
                            : !connect_exchange(links_[i - links_.size()]))
        all = false;
  };
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  if (all) {
    start_hub();
    return true;
  }
  if (plan_.looks_on) return false;
  print_error(plan_.program, "Application launch failed: Communication connection failure");
  controller_.cancel_step(job_, reply_.step);
  return false;
}

}  // namespace muster::cli
