// Exchanges messages of MPI tasks on a thread of its own: a reader that stops reading output must
// not stop the tasks.
#include "cli/srun/exchange.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/check.h"
#include "base/codec/codec.h"
#include "io/loop/poll_set.h"

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
    bool is_over = false;
    io::PollSet set;
    set.add(stop_, POLLIN, [&](short) { is_over = true; });
    for (Link& link : links_) {
      if (!link.channel) continue;
      const short out = link.channel->queued_bytes() > 0 ? POLLOUT : 0;
      set.add(link.channel->fd(), static_cast<short>(POLLIN | out),
              [&](short happened) { serve(link, happened); });
    }
    set.wait(-1);
    if (is_over) return;
  }
}

void ExchangeHub::serve(Link& link, short happened) {
  if ((happened & POLLOUT) != 0 && link.channel && !link.channel->try_flush()) link.channel.reset();
  if ((happened & (POLLIN | POLLHUP | POLLERR)) != 0) read(link);
}

void ExchangeHub::read(Link& link) {
  while (link.channel) {
    auto frame = link.channel->try_receive();
    if (frame && !*frame) return;
    auto message = frame ? decode<wire::FromStepFrame>(**frame) : std::unexpected(frame.error());
    if (!message) return link.channel.reset();  // its tasks have ended, or will be told
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
