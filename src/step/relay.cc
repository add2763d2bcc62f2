#include "step/relay.h"

#include <poll.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/codec.h"
#include "io/node_connection.h"

namespace muster::step {
namespace {

// What a relay wants to know of a FromStepFrame: alternatives of a variant are fields, numbered
// from 1, of which most are passed over unread.
struct Outline {
  struct Message {
    std::optional<wire::StepFinished> finished;
    std::optional<wire::PlacesLost> lost;
    template <class V>
    void fields(V& v) {
      v(6, finished);
      v(11, lost);
    }
  };
  static_assert(std::is_same_v<std::variant_alternative_t<5, wire::FromStep>, wire::StepFinished>);
  static_assert(std::is_same_v<std::variant_alternative_t<10, wire::FromStep>, wire::PlacesLost>);
  Message message;
  std::uint32_t place = 0;
  template <class V>
  void fields(V& v) {
    v(1, message);
    v(170, place);
  }
};

// What the first of a run is asked: the rest of it is below.
wire::AttachRequest request_for(const wire::AttachRequest& own, Run run) {
  const wire::Branch& first = own.below.branches[run.first];
  wire::AttachRequest request = own;
  request.ref.job = first.job;
  request.ref.attempt = first.attempt;
  request.key = first.key;
  request.place = first.place;
  const auto begin = own.below.branches.begin() + static_cast<std::ptrdiff_t>(run.first);
  request.below.branches.assign(begin + 1, begin + static_cast<std::ptrdiff_t>(run.count));
  return request;
}

Result<io::Channel> connect(const wire::NodeAccess& access, const wire::Branch& branch,
                            const wire::AttachRequest& request) {
  auto channel = io::connect_to_node_patiently(access, branch);
  if (!channel) return channel;
  if (auto sent = channel->send(encode(wire::NodeCall{request})); !sent)
    return std::unexpected(sent.error());
  return channel;
}

}  // namespace

Relay::Relay(const wire::NodeAccess& access, const wire::AttachRequest& request, Up up)
    : place_(request.place), up_(std::move(up)) {
  join(access, request);
}

void Relay::join(const wire::NodeAccess& access, const wire::AttachRequest& request) {
  const std::vector<wire::Branch>& branches = request.below.branches;
  const std::vector<Run> runs = split_into_runs(branches.size(), request.below.width);
  std::vector<std::optional<Result<io::Channel>>> joined(runs.size());
  auto join_one = [&](std::size_t i) {
    joined[i].emplace(connect(access, branches[runs[i].first], request_for(request, runs[i])));
  };
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < runs.size(); ++i) helpers.emplace_back(join_one, i);
  if (!runs.empty()) join_one(0);
  for (std::thread& helper : helpers) helper.join();

  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::set<std::uint32_t> places;
    for (std::size_t k = 0; k < runs[i].count; ++k)
      places.insert(branches[runs[i].first + k].place);
    Result<io::Channel>& channel = *joined[i];
    if (channel)
      children_.push_back({std::move(*channel), std::move(places)});
    else
      lose(places, channel.error().text(), true);
  }
}

void Relay::lose(const std::set<std::uint32_t>& places, const std::string& why, bool never_joined) {
  const wire::PlacesLost lost{{places.begin(), places.end()}, why, never_joined};
  up_.send(encode(wire::FromStepFrame{lost, place_}));
}

void Relay::lose(Child& child, const Error& why) {
  child.gone = true;
  lose(child.places, why.text(), false);
}

bool Relay::is_done() const {
  return std::ranges::all_of(children_, [](const Child& child) { return child.gone; });
}

void Relay::pass_down(std::string_view frame) {
  for (Child& child : children_) {
    if (child.gone) continue;
    child.channel.queue(frame);
    flush(child);
  }
}

void Relay::pass_to(std::uint32_t place, std::string_view frame) {
  for (Child& child : children_) {
    if (child.gone || !child.places.contains(place)) continue;
    child.channel.queue(frame);
    flush(child);
  }
}

void Relay::flush(Child& child) {
  if (child.gone) return;
  if (auto flushed = child.channel.try_flush(); !flushed) lose(child, flushed.error());
}

std::size_t Relay::queued_bytes() const {
  std::size_t most = 0;
  for (const Child& child : children_)
    if (!child.gone) most = std::max(most, child.channel.queued_bytes());
  return most;
}

void Relay::watch(PollSet& set) {
  for (Child& child : children_)
    if (up_.has_room() && std::exchange(child.held_back, false)) read(child);
  std::erase_if(children_, [](const Child& child) { return child.gone; });
  const bool has_room = up_.has_room();
  for (Child& child : children_) {
    short events = child.channel.queued_bytes() > 0 ? POLLOUT : 0;
    if (has_room) events |= POLLIN;
    if (events == 0) continue;
    set.add(child.channel.fd(), events, [this, &child](short happened) {
      if ((happened & POLLOUT) != 0) flush(child);
      if ((happened & (POLLIN | POLLHUP | POLLERR)) != 0) read(child);
    });
  }
}

void Relay::read(Child& child) {
  while (!child.gone && up_.has_room()) {
    auto frame = child.channel.try_receive();
    if (frame && !*frame) return;
    if (!frame) return lose(child, frame.error());
    note(child, **frame);
    up_.send(**frame);
  }
  child.held_back = !child.gone;
}

// Whoever has finished is hung up: that is how it knows that all was read.
void Relay::note(Child& child, std::string_view frame) {
  auto outline = decode<Outline>(frame);
  if (!outline) return;
  if (outline->message.finished) child.places.erase(outline->place);
  if (outline->message.lost)
    for (std::uint32_t place : outline->message.lost->places) child.places.erase(place);
  child.gone = child.places.empty();
}

}  // namespace muster::step
