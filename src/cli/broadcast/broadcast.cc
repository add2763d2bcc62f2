// Sends a file to nodes, block by block, to the roots of trees of nodes that pass it on.
#include "cli/broadcast/broadcast.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <list>
#include <span>

#include "base/codec/codec.h"
#include "base/tree.h"
#include "cli/lib/errors.h"
#include "cli/lib/step_connection.h"
#include "io/loop/poll_set.h"
#include "io/lz4.h"

namespace muster::cli {

namespace {

constexpr std::uint32_t kLargestFanout = 8;  // as in Slurm
constexpr Seconds kDefaultTimeout{60};

Time to_time(const timespec& moment) {
  return Time(Millis{std::int64_t{moment.tv_sec} * 1000 + moment.tv_nsec / 1'000'000});
}

// A connection to one root of the tree.
struct Receiver {
  std::string node;
  io::Channel channel;
  std::optional<wire::FileStored> answer;
};

class Group {
 public:
  Group(std::string_view program, Seconds timeout) : program_(program), timeout_(timeout) {}

  // The root of these nodes passes the file on to the others.
  void add(const ClientConfig& config, std::span<const wire::StepPlace> places,
           wire::FileOffer offer) {
    for (std::size_t i = 1; i < places.size(); ++i)
      offer.below.branches.push_back(branch_below(config, places[i], i));
    auto channel = connect_to_node(config, places.front());
    if (channel)
      if (auto sent = channel->send(encode(wire::NodeCall{offer})); !sent)
        channel = std::unexpected(sent.error());
    if (channel)
      receivers_.push_back({places.front().node.str(), std::move(*channel), std::nullopt});
    else
      for (const wire::StepPlace& place : places)
        fail_node(place.node.str(), EIO, channel.error().text());
  }

  void send(const wire::FilePiece& piece) {
    const std::string frame = encode(piece);
    for (Receiver& receiver : receivers_)
      if (!receiver.answer) receiver.channel.queue(frame);
    pump([](const Receiver& receiver) { return receiver.channel.queued_bytes() == 0; });
  }

  void finish() {
    send({});
    pump([](const Receiver&) { return false; });
    for (const Receiver& receiver : receivers_) {
      if (!receiver.answer) continue;
      if (receiver.answer->error != 0)
        fail_node(receiver.node, receiver.answer->error, receiver.answer->text);
      for (const wire::FileFailure& failure : receiver.answer->below)
        fail_node(failure.node.str(), failure.error, failure.text);
    }
  }

  bool anybody_left() const {
    return std::ranges::any_of(receivers_, [](const Receiver& r) { return !r.answer; });
  }
  int error() const { return error_; }

 private:
  void fail_node(const std::string& node, int error, const std::string& text) {
    print_error(program_, fmt::format("REQUEST_FILE_BCAST({}): {}", node, text));
    error_ = error;
  }

  // Waits until every receiver has answered, or is_ready says it has got far enough.
  template <class IsReady>
  void pump(IsReady is_ready) {
    while (true) {
      io::PollSet set;
      std::vector<Receiver*> waiting;
      for (Receiver& receiver : receivers_) {
        if (receiver.answer || is_ready(receiver)) continue;
        const short out = receiver.channel.queued_bytes() > 0 ? POLLOUT : 0;
        set.add(receiver.channel.fd(), static_cast<short>(POLLIN | out),
                [&receiver](short happened) { serve(receiver, happened); });
        waiting.push_back(&receiver);
      }
      if (waiting.empty()) return;
      const auto patience = std::chrono::duration_cast<Millis>(timeout_).count();
      if (set.wait(static_cast<int>(patience)) != 0) continue;
      for (Receiver* receiver : waiting)
        receiver->answer = {ETIMEDOUT, std::strerror(ETIMEDOUT), {}};
    }
  }

  static void serve(Receiver& receiver, short happened) {
    if ((happened & POLLOUT) != 0)
      if (auto sent = receiver.channel.try_flush(); !sent)
        receiver.answer = {EIO, sent.error().text(), {}};
    if ((happened & (POLLIN | POLLHUP | POLLERR)) == 0) return;
    auto frame = receiver.channel.try_receive();
    if (frame && !*frame) return;
    auto answer = frame ? decode<wire::FileStored>(**frame) : std::unexpected(frame.error());
    receiver.answer = answer ? *answer : wire::FileStored{EIO, answer.error().text(), {}};
  }

  std::string_view program_;
  Seconds timeout_;
  std::list<Receiver> receivers_;
  int error_ = 0;
};

// Fills the block, except at the end of the file; false with errno on failure.
bool read_block(int fd, std::uint64_t offset, std::string& block) {
  std::size_t filled = 0;
  while (filled < block.size()) {
    const ssize_t count = pread(fd, block.data() + filled, block.size() - filled,
                                static_cast<off_t>(offset + filled));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  block.resize(filled);
  return true;
}

// Only one block per root of the tree is kept in memory.
int send_to_group(std::string_view program, Group& group, const SourceFile& file,
                  const BroadcastOptions& options) {
  std::uint64_t offset = 0;
  while (group.anybody_left()) {
    std::string block(options.block_bytes, '\0');
    if (!read_block(file.fd, offset, block)) {
      const int error = errno;
      print_error(program, fmt::format("Can't read the file: {}", std::strerror(error)));
      return error;
    }
    if (block.empty()) break;
    offset += block.size();
    wire::FilePiece piece{.bytes = {}, .unpacked_size = static_cast<std::uint32_t>(block.size())};
    std::optional<std::string> packed;
    if (options.compress) packed = io::pack_lz4(block);
    if (!packed) piece.unpacked_size = 0;
    piece.bytes = packed ? std::move(*packed) : std::move(block);
    group.send(piece);
  }
  group.finish();
  return group.error();
}

}  // namespace

std::expected<SourceFile, int> open_source(const std::string& path, std::string destination,
                                           bool overwrites, bool keeps_times) {
  SourceFile file;
  file.fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file.fd < 0) return std::unexpected(errno);
  struct stat status{};
  int error = fstat(file.fd, &status) != 0 ? errno : 0;
  if (error == 0 && !S_ISREG(status.st_mode)) error = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
  if (error != 0) {
    close(file.fd);
    return std::unexpected(error);
  }
  file.offer.path = std::move(destination);
  file.offer.mode = status.st_mode & 07777;
  file.offer.overwrites = overwrites;
  if (keeps_times) {
    file.offer.modified = to_time(status.st_mtim);
    file.offer.accessed = to_time(status.st_atim);
  }
  return file;
}

int broadcast(std::string_view program, const ClientConfig& config,
              const wire::BroadcastReply& nodes, const SourceFile& file,
              const BroadcastOptions& options) {
  wire::FileOffer offer = file.offer;
  offer.grant = nodes.grant;
  offer.below.width = options.fanout > 0 ? std::min(options.fanout, kLargestFanout)
                                         : std::clamp(config.tree_width, 1u, kLargestFanout);
  Group group(program, options.timeout.count() > 0 ? options.timeout : kDefaultTimeout);
  const std::span all(nodes.places);
  for (const Section& run : split_into_sections(all.size(), offer.below.width))
    group.add(config, all.subspan(run.first, run.count), offer);
  return send_to_group(program, group, file, options);
}

}  // namespace muster::cli
