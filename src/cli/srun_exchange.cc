#include "cli/srun_exchange.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "base/check.h"
#include "base/codec.h"

namespace muster::cli {

ExchangeHub::ExchangeHub(std::vector<io::Channel> channels) : stop_(eventfd(0, EFD_CLOEXEC)) {
  CHECK(stop_ >= 0);
  for (io::Channel& channel : channels) channels_.emplace_back(std::move(channel));
  thread_ = std::thread([this] { run(); });
}

ExchangeHub::~ExchangeHub() {
  const std::uint64_t one = 1;
  CHECK(write(stop_, &one, sizeof one) == sizeof one);
  thread_.join();
  close(stop_);
}

void ExchangeHub::run() {
  while (true) {
    std::vector<pollfd> fds;
    for (const auto& channel : channels_) {
      const short out = channel && channel->queued_bytes() > 0 ? POLLOUT : 0;
      fds.push_back({channel ? channel->fd() : -1, static_cast<short>(POLLIN | out), 0});
    }
    fds.push_back({stop_, POLLIN, 0});
    if (poll(fds.data(), fds.size(), -1) <= 0) continue;
    if (fds.back().revents != 0) return;
    for (std::uint32_t place = 0; place < channels_.size(); ++place) {
      if ((fds[place].revents & POLLOUT) != 0 && channels_[place] && !channels_[place]->try_flush())
        channels_[place].reset();
      if ((fds[place].revents & (POLLIN | POLLHUP | POLLERR)) != 0) read(place);
    }
  }
}

void ExchangeHub::read(std::uint32_t place) {
  while (channels_[place]) {
    auto frame = channels_[place]->try_receive();
    if (frame && !*frame) return;
    auto message = frame ? decode<wire::FromStepFrame>(**frame) : std::unexpected(frame.error());
    if (!message) return channels_[place].reset();  // its tasks have ended, or will hear of it
    on_message(place, std::move(message->message));
  }
}

void ExchangeHub::on_message(std::uint32_t place, wire::FromStep&& message) {
  if (auto* contribution = std::get_if<wire::Contribution>(&message)) {
    auto complete = book_.add(place, std::move(*contribution));
    if (!complete) return;
    const std::string frame = encode(wire::ToStepFrame{std::move(complete->gathered)});
    for (std::uint32_t member : complete->places) send(member, frame);
  }
  if (auto* letter = std::get_if<wire::Letter>(&message))
    send(letter->place, encode(wire::ToStepFrame{wire::Letter{place, std::move(letter->bytes)}}));
}

void ExchangeHub::send(std::uint32_t place, std::string_view frame) {
  if (place >= channels_.size() || !channels_[place]) return;
  channels_[place]->queue(frame);
  if (!channels_[place]->try_flush()) channels_[place].reset();
}

}  // namespace muster::cli
