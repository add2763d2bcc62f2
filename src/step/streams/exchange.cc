// Sends messages of MPI tasks to the srun and to nodes below, and delivers the answers.
#include "step/streams/exchange.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "base/codec/codec.h"
#include "node/attach_rights.h"
#include "step/streams/key.h"

namespace muster::step {

namespace {

constexpr std::size_t kMaxQueued = 4u << 20;

}  // namespace

void Exchange::attach(int fd, const wire::AttachRequest& request, io::SessionState session) {
  const Uid caller = session.peer_uid;
  io::Channel channel(fd, std::move(session));
  if (channel_ || setup_.launch.key.empty() || !same_key(request.key, setup_.launch.key)) return;
  if (!may_attach(caller, setup_.launch.uid, setup_.slurm_user) ||
      !check_below(request.below, setup_.launch.num_tasks))
    return;
  channel_.emplace(std::move(channel));
  place_ = request.place;
  if (!request.below.branches.empty())
    below_ = std::make_unique<Relay>(
        setup_, request,
        Relay::Up{
            .send =
                [this](std::string_view frame) {
                  if (!channel_) return;
                  channel_->queue(frame);
                  flush();
                },
            .has_room = [this] { return channel_ && channel_->queued_bytes() < kMaxQueued; }});
  for (wire::FromStep& message : std::exchange(backlog_, {})) post(std::move(message));
  read();
}

void Exchange::contribute(std::string name, std::vector<std::uint32_t> places, std::string bytes,
                          OnGathered done) {
  waits_[name] = std::move(done);
  if (lost_) return on_lost_(*lost_);
  post(wire::Contribution{std::move(name), std::move(places), std::move(bytes)});
}

void Exchange::contribute_to_all(std::string name, std::string bytes, OnGathered done) {
  std::vector<std::uint32_t> all(setup_.launch.layout.size());
  for (std::uint32_t place = 0; place < all.size(); ++place) all[place] = place;
  contribute(std::move(name), std::move(all), std::move(bytes), std::move(done));
}

void Exchange::send(std::uint32_t place, std::string bytes) {
  post(wire::Letter{place, std::move(bytes)});
}

void Exchange::post(wire::FromStep message) {
  if (lost_) return;
  if (!channel_) return backlog_.push_back(std::move(message));
  channel_->queue(encode(wire::FromStepFrame{std::move(message), place_}));
  flush();
}

void Exchange::flush() {
  if (auto flushed = channel_->try_flush(); !flushed) lose(flushed.error());
}

void Exchange::watch(io::PollSet& set) {
  if (!channel_)
    return below_.reset();  // not earlier: the relay may be running when the channel is lost
  if (std::exchange(held_back_, false)) read();
  if (!channel_) return;
  short events = channel_->queued_bytes() > 0 ? POLLOUT : 0;
  if (has_room_below()) events |= POLLIN;
  set.add(channel_->fd(), events, [this](short happened) {
    if (channel_ && (happened & POLLOUT) != 0) flush();
    if (channel_ && (happened & (POLLIN | POLLHUP | POLLERR)) != 0) read();
  });
  if (below_) below_->watch(set);
}

bool Exchange::has_room_below() const { return !below_ || below_->queued_bytes() < kMaxQueued; }

void Exchange::read() {
  while (channel_ && has_room_below()) {
    auto frame = channel_->try_receive();
    if (!frame) return lose(frame.error());
    if (!*frame) return;
    on_frame(**frame);
  }
  held_back_ = channel_.has_value();
}

void Exchange::on_frame(std::string_view frame) {
  auto message = decode<wire::ToStepFrame>(frame, Origin::foreign);
  if (!message) return lose(message.error());
  if (below_ && message->place == wire::kEveryPlace) below_->pass_down(frame);
  if (below_ && message->place != wire::kEveryPlace) below_->pass_to(message->place, frame);
  if (message->place == wire::kEveryPlace || message->place == place_)
    on_message(std::move(message->message));
}

void Exchange::on_message(wire::ToStep&& message) {
  auto* gathered = std::get_if<wire::Gathered>(&message);
  if (gathered && std::ranges::find(gathered->places, place_) != gathered->places.end()) {
    auto wait = waits_.extract(gathered->name);
    if (!wait.empty()) wait.mapped()(gathered->parts);
  }
  if (auto* letter = std::get_if<wire::Letter>(&message); letter && on_letter_)
    on_letter_(letter->place, std::move(letter->bytes));
}

void Exchange::lose(const Error& why) {
  channel_.reset();
  lost_ = why;
  if (!waits_.empty()) on_lost_(why);
}

}  // namespace muster::step
