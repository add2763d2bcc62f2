// Passes a file of sbcast on to the nodes below, and collects their answers.
#include "step/streams/file_followers.h"

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/codec/codec.h"
#include "io/net/node_connection.h"

namespace muster::step {
namespace {

// Long, because a disk on a node below may be slow.
constexpr Millis kAnswerTimeout{300'000}, kPieceTimeout{60'000};

}  // namespace

FileFollowers::FileFollowers(wire::NodeAccess access, const wire::FileOffer& offer) {
  access.timeout = std::max(access.timeout, kPieceTimeout);
  for (const Section& run : split_into_sections(offer.below.branches.size(), offer.below.width))
    offer_to(access, offer, run);
}

void FileFollowers::offer_to(const wire::NodeAccess& access, const wire::FileOffer& offer,
                             Section run) {
  const std::vector<wire::Branch>& all = offer.below.branches;
  wire::FileOffer theirs = offer;
  theirs.below.branches.clear();
  Follower& follower = followers_.emplace_back();
  follower.node = all[run.first].node;
  for (std::size_t i = run.first + 1; i < run.first + run.count; ++i) {
    theirs.below.branches.push_back(all[i]);
    follower.behind.push_back(all[i].node);
  }
  auto channel = io::connect_to_node(access, all[run.first]);
  if (channel)
    if (auto sent = channel->send(encode(wire::NodeCall{theirs})); !sent)
      channel = std::unexpected(sent.error());
  if (!channel) return give_up(follower, channel.error());
  follower.channel.emplace(std::move(*channel));
}

// Nodes behind it do not get the file either.
void FileFollowers::give_up(Follower& follower, const Error& why) {
  wire::FileStored answer{EIO, why.text(), {}};
  for (const Text& node : follower.behind) answer.below.push_back({node, EIO, why.text()});
  follower.answer = std::move(answer);
}

bool FileFollowers::anybody_left() const {
  return std::ranges::any_of(followers_, [](const Follower& f) { return !f.answer; });
}

void FileFollowers::read_answer(Follower& follower) {
  auto frame = follower.channel->receive(kAnswerTimeout);
  auto answer = frame ? decode<wire::FileStored>(*frame) : std::unexpected(frame.error());
  if (answer)
    follower.answer = std::move(*answer);
  else
    give_up(follower, answer.error());
}

// A node that has failed has reported that already, and takes no more.
void FileFollowers::note_early_answer(Follower& follower) {
  auto frame = follower.channel->try_receive();
  if (!frame) return give_up(follower, frame.error());
  if (!*frame) return;
  auto answer = decode<wire::FileStored>(**frame);
  if (!answer) return give_up(follower, answer.error());
  follower.answer = std::move(*answer);
}

void FileFollowers::send(std::string_view frame) {
  for (Follower& follower : followers_) {
    if (!follower.answer) note_early_answer(follower);
    if (follower.answer) continue;
    if (auto sent = follower.channel->send(frame); !sent) give_up(follower, sent.error());
  }
}

std::vector<wire::FileFailure> FileFollowers::finish() {
  std::vector<wire::FileFailure> failures;
  for (Follower& follower : followers_) {
    if (!follower.answer) read_answer(follower);
    if (follower.answer->error != 0)
      failures.push_back({follower.node, follower.answer->error, follower.answer->text});
    std::ranges::move(follower.answer->below, std::back_inserter(failures));
  }
  return failures;
}

}  // namespace muster::step
