#include "cli/srun/exchange.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/check.h"
#include "base/codec/codec.h"

namespace muster::cli {

namespace {

bool leads_to(const ExchangeHub::Link& link, std::uint32_t place) {
  return place >= link.run.first && place - link.run.first < link.run.count;
}

}  // namespace

ExchangeHub::ExchangeHub(std::vector<Link> links)
    : links_(std::move(links)), stop_(eventfd(0, EFD_CLOEXEC)) {
  CHECK(stop_ >= 0);
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
    for (const Link& link : links_) {
      const short out = link.channel && link.channel->queued_bytes() > 0 ? POLLOUT : 0;
      fds.push_back({link.channel ? link.channel->fd() : -1, static_cast<short>(POLLIN | out), 0});
    }
    fds.push_back({stop_, POLLIN, 0});
    if (poll(fds.data(), fds.size(), -1) <= 0) continue;
    if (fds.back().revents != 0) return;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      Link& link = links_[i];
      if ((fds[i].revents & POLLOUT) != 0 && link.channel && !link.channel->try_flush())
        link.channel.reset();
      if ((fds[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0) read(link);
    }
  }
}

void ExchangeHub::read(Link& link) {
  while (link.channel) {
    auto frame = link.channel->try_receive();
    if (frame && !*frame) return;
    auto message = frame ? decode<wire::FromStepFrame>(**frame) : std::unexpected(frame.error());
    if (!message) return link.channel.reset();  // its tasks have ended, or will hear of it
    if (leads_to(link, message->place)) on_message(message->place, std::move(message->message));
  }
}

void ExchangeHub::on_message(std::uint32_t place, wire::FromStep&& message) {
  if (auto* contribution = std::get_if<wire::Contribution>(&message)) {
    auto complete = book_.add(place, std::move(*contribution));
    if (!complete) return;
    const std::string frame = encode(wire::ToStepFrame{std::move(complete->gathered)});
    auto has_member = [&](const Link& link) {
      return std::ranges::any_of(complete->places,
                                 [&](std::uint32_t member) { return leads_to(link, member); });
    };
    for (Link& link : links_)
      if (has_member(link)) send(link, frame);
  }
  if (auto* letter = std::get_if<wire::Letter>(&message)) {
    const std::uint32_t to = letter->place;
    const std::string frame =
        encode(wire::ToStepFrame{wire::Letter{place, std::move(letter->bytes)}, to});
    for (Link& link : links_)
      if (leads_to(link, to)) send(link, frame);
  }
}

void ExchangeHub::send(Link& link, std::string_view frame) {
  if (!link.channel) return;
  link.channel->queue(frame);
  if (!link.channel->try_flush()) link.channel.reset();
}

}  // namespace muster::cli
