// Plays the nodes of a cluster: registers, and reports the ends of jobs.
#include "nodes.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "base/check.h"
#include "base/codec/codec.h"
#include "failure.h"

namespace muster::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr Millis kConnectTimeout{60000};
constexpr int kHeartbeatEverySeconds = 30;  // per node, as in slurmd

NodeFacts facts_of(const NodesOptions& options) {
  NodeFacts facts;
  facts.boot_id = "bench";
  facts.arch = "x86_64";
  facts.os = "Linux";
  facts.version = "bench";
  facts.cpus = facts.cores = options.cpus;
  facts.sockets = facts.threads = 1;
  facts.memory_mib = options.memory_mib;
  return facts;
}

void send(io::Channel& channel, std::vector<wire::Report> reports) {
  check(channel.send(encode(wire::ReportBatch{std::move(reports)})), "a node's report");
}

}  // namespace

std::string node_name(std::uint32_t index) { return "n" + std::to_string(index); }

Nodes::Nodes(NodesOptions options) : options_(std::move(options)) {
  connect_all();
  thread_ = std::thread([this] { run(); });
}

Nodes::~Nodes() {
  stopping_ = true;
  thread_.join();
}

void Nodes::connect_all() {
  io::Endpoint as_node = options_.controller;
  as_node.role = io::PeerRole::node;
  const NodeFacts facts = facts_of(options_);
  channels_.reserve(options_.count);
  for (std::uint32_t i = 0; i < options_.count; ++i) {
    auto channel = io::Channel::connect(as_node, kConnectTimeout);
    check(channel, "connecting a node");
    channels_.push_back(std::move(*channel));
    wire::RegisterReport report{.name = Text(node_name(i)), .facts = facts};
    report.free_memory_mib = options_.memory_mib;
    send(channels_.back(), {std::move(report)});
  }
}

void Nodes::run() {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  CHECK(epoll >= 0);
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
    CHECK(::epoll_ctl(epoll, EPOLL_CTL_ADD, channels_[i].fd(), &event) == 0);
    serve(i);  // frames that came with the greeting
  }
  std::array<epoll_event, 256> events;
  Clock::time_point next_round = Clock::now();
  while (!stopping_) {
    const int patience_ms = ends_.empty() || may_end_ == 0 ? 100 : 1;
    int ready = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), patience_ms);
    for (int i = 0; i < ready; ++i) serve(events[static_cast<std::size_t>(i)].data.u64);
    send_ends();
    if (Clock::now() < next_round) continue;
    next_round += std::chrono::seconds{1};
    send_heartbeats();
  }
  ::close(epoll);
}

// Each second a part of the nodes sends heartbeats, as if each had its own clock.
void Nodes::send_heartbeats() {
  std::size_t part = channels_.size() / kHeartbeatEverySeconds + 1;
  for (std::size_t i = 0; i < part; ++i, ++next_heartbeat_)
    send(channels_[next_heartbeat_ % channels_.size()],
         {wire::HeartbeatReport{0.5, options_.memory_mib}});
}

void Nodes::send_ends() {
  for (; !ends_.empty() && ends_sent_ < may_end_; ends_.pop_front(), ++ends_sent_)
    reports_[ends_.front().first].emplace_back(std::move(ends_.front().second));
  for (auto& [node, reports] : reports_) send(channels_[node], std::move(reports));
  reports_.clear();
}

void Nodes::serve(std::size_t node) {
  for (;;) {
    auto frame = channels_[node].try_receive();
    check(frame, "the controller");
    if (!*frame) break;
    auto batch = decode<wire::OrderBatch>(**frame);
    check(batch, "an order");
    carry_out(node, *batch);
  }
}

void Nodes::carry_out(std::size_t node, const wire::OrderBatch& batch) {
  for (const wire::Order& order : batch.orders) {
    if (const auto* launch = std::get_if<wire::LaunchOrder>(&order)) {
      if (launch->launch.job_name == options_.staying_job)
        ++staying_;
      else
        ends_.emplace_back(node, wire::StepEndReport{{.ref = launch->launch.ref}});
    } else if (const auto* confirmed = std::get_if<wire::ConfirmOrder>(&order)) {
      ended_ += confirmed->steps.size();
    } else if (const auto* end = std::get_if<wire::EndJobOrder>(&order)) {
      reports_[node].emplace_back(wire::JobGoneReport{.job = end->job, .attempt = end->attempt});
    }
  }
}

}  // namespace muster::bench
