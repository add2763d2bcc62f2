// Passes frames between the srun and the nodes below this one.
#include "step/streams/relay.h"

#include <poll.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/codec/codec.h"
#include "io/net/node_connection.h"

namespace muster::step {
namespace {

// The parts of a FromStepFrame that a relay needs. Alternatives of a variant are fields, numbered
// from 1; most are skipped.
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

// The request for the first node of a section, with the section's other nodes below it.
wire::AttachRequest request_for(const wire::AttachRequest& own, Section run) {
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

// The section of the list that each directly connected node answers for.
std::vector<Section> runs_of(const StepSetup& setup, const wire::AttachRequest& request) {
  const std::uint32_t width = std::min(request.below.width, setup.tree_width);
  return split_into_sections(request.below.branches.size(), width);
}

std::vector<Dials::Call> calls_for(const StepSetup& setup, const wire::AttachRequest& request) {
  std::vector<Dials::Call> calls;
  for (const Section& run : runs_of(setup, request))
    calls.push_back(
        {request.below.branches[run.first], encode(wire::NodeCall{request_for(request, run)})});
  return calls;
}

}  // namespace

Relay::Relay(const StepSetup& setup, const wire::AttachRequest& request, Up up)
    : place_(request.place), up_(std::move(up)), dials_(setup, calls_for(setup, request)) {
  for (const Section& run : runs_of(setup, request)) {
    Child& child = children_.emplace_back();
    for (std::size_t i = run.first; i < run.first + run.count; ++i)
      child.places.insert(request.below.branches[i].place);
  }
  undecided_ = children_.size();
}

void Relay::join() {
  for (auto& [number, channel] : dials_.take()) {
    --undecided_;
    Child& child = children_[number];
    if (!channel) {
      lose(child, channel.error());
      continue;
    }
    child.channel.emplace(std::move(*channel));
    for (const std::string& frame : std::exchange(child.early, {})) child.channel->queue(frame);
    child.early_bytes = 0;
    flush(child);
  }
}

void Relay::lose(Child& child, const Error& why) {
  child.gone = true;
  const wire::PlacesLost lost{
      {child.places.begin(), child.places.end()}, why.text(), !child.channel.has_value()};
  child.channel.reset();
  child.early.clear();
  up_.send(encode(wire::FromStepFrame{lost, place_}));
}

bool Relay::is_done() const {
  return std::ranges::all_of(children_, [](const Child& child) { return child.gone; });
}

void Relay::pass_down(std::string_view frame) {
  for (Child& child : children_) pass(child, frame);
}

void Relay::pass_to(std::uint32_t place, std::string_view frame) {
  for (Child& child : children_)
    if (child.places.contains(place)) pass(child, frame);
}

void Relay::pass(Child& child, std::string_view frame) {
  if (child.gone) return;
  if (!child.channel) {
    child.early.emplace_back(frame);
    child.early_bytes += frame.size();
    return;
  }
  child.channel->queue(frame);
  flush(child);
}

void Relay::flush(Child& child) {
  if (child.gone) return;
  if (auto flushed = child.channel->try_flush(); !flushed) lose(child, flushed.error());
}

std::size_t Relay::queued_bytes() const {
  std::size_t most = 0;
  for (const Child& child : children_)
    if (!child.gone)
      most = std::max(most, child.channel ? child.channel->queued_bytes() : child.early_bytes);
  return most;
}

void Relay::watch(io::PollSet& set) {
  if (undecided_ > 0) set.add(dials_.fd(), POLLIN, [this](short) { join(); });
  for (Child& child : children_)
    if (child.channel && up_.has_room() && std::exchange(child.held_back, false)) read(child);
  const bool has_room = up_.has_room();
  for (Child& child : children_) {
    if (child.gone) child.channel.reset();
    if (!child.channel) continue;
    short events = child.channel->queued_bytes() > 0 ? POLLOUT : 0;
    if (has_room) events |= POLLIN;
    if (events == 0) continue;
    set.add(child.channel->fd(), events, [this, &child](short happened) {
      if ((happened & POLLOUT) != 0) flush(child);
      if ((happened & (POLLIN | POLLHUP | POLLERR)) != 0) read(child);
    });
  }
}

void Relay::read(Child& child) {
  while (!child.gone && up_.has_room()) {
    auto frame = child.channel->try_receive();
    if (frame && !*frame) return;
    if (!frame) return lose(child, frame.error());
    note(child, **frame);
    up_.send(**frame);
  }
  child.held_back = !child.gone;
}

// The connection to a node that has finished is closed: that tells the node that everything was
// read.
void Relay::note(Child& child, std::string_view frame) {
  auto outline = decode<Outline>(frame);
  if (!outline) return;
  if (outline->message.finished) child.places.erase(outline->place);
  if (outline->message.lost)
    for (std::uint32_t place : outline->message.lost->places) child.places.erase(place);
  child.gone = child.places.empty();
}

}  // namespace muster::step
