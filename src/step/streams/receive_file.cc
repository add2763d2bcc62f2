// Receives a file of sbcast on one node: writes it under a temporary name, and renames it.
#include "step/streams/receive_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/codec/codec.h"
#include "io/cgroup/cgroup.h"
#include "io/cgroup/job_namespace.h"
#include "io/lz4.h"
#include "step/streams/file_followers.h"
#include "step/tasks/setup.h"

namespace muster::step {
namespace {

constexpr Seconds kNextPieceTimeout{300};
constexpr Millis kFarewellTimeout{10'000};
constexpr std::uint32_t kModeBits = 07777;

wire::FileStored failed(int error) { return {error, std::strerror(error), {}}; }

// The file has a temporary name until it is complete. If the directory is not writable, an existing
// file that may be overwritten is written directly.
class PartialFile {
 public:
  explicit PartialFile(const wire::FileOffer& offer)
      : path_(offer.path.str()),
        name_(path_.substr(0, path_.rfind('/') + 1) + ".sbcast.XXXXXX"),
        overwrites_(offer.overwrites) {
    fd_ = mkostemp(name_.data(), O_CLOEXEC);
    in_place_ = fd_ < 0 && errno == EACCES && overwrites_;
    if (in_place_) fd_ = open(path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    // Reports the directory's error, not that of the file.
    if (fd_ < 0 && in_place_) errno = EACCES;
  }
  ~PartialFile() {
    if (fd_ < 0) return;
    close(fd_);
    if (!in_place_) unlink(name_.c_str());  // fails harmlessly if it has been renamed
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  int fd() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  // link fails if the name is taken, rename replaces the other file.
  bool take_its_name() const {
    if (in_place_) return true;
    if (overwrites_) return rename(name_.c_str(), path_.c_str()) == 0;
    return link(name_.c_str(), path_.c_str()) == 0;
  }

 private:
  std::string path_, name_;
  bool overwrites_, in_place_ = false;
  int fd_ = -1;
};

timespec moment(Time time) {
  const auto seconds = std::chrono::floor<Seconds>(time);
  return {.tv_sec = seconds.time_since_epoch().count(),
          .tv_nsec = std::chrono::nanoseconds(time - seconds).count()};
}

bool set_attributes(int fd, const wire::FileOffer& offer) {
  if (fchmod(fd, offer.mode & kModeBits) != 0) return false;
  if (!offer.modified || !offer.accessed) return true;
  const timespec times[]{moment(*offer.accessed), moment(*offer.modified)};
  return futimens(fd, times) == 0;
}

// Errors that can be found before any data has arrived.
int early_error(const wire::FileOffer& offer) {
  const std::string directory = offer.path.str().substr(0, offer.path.str().rfind('/'));
  if (offer.makes_directory && mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) return errno;
  struct stat status{};
  if (stat(offer.path.str().c_str(), &status) != 0) return errno == ENOENT ? 0 : errno;
  if (!offer.overwrites) return EEXIST;
  return S_ISDIR(status.st_mode) ? EISDIR : 0;
}

// The file while it arrives. After an error the rest is ignored.
class Intake {
 public:
  explicit Intake(const wire::FileOffer& offer) : offer_(offer) {
    if (int error = early_error(offer); error != 0) {
      fail(error);
    } else {
      file_.emplace(offer);
      if (!file_->is_open()) fail(errno);
    }
  }
  bool has_failed() const { return result_.error != 0; }

  void take(wire::FilePiece piece) {
    if (has_failed()) return;
    if (piece.unpacked_size > io::kMaxFrameBytes) return fail(EPROTO);
    if (piece.unpacked_size != 0) {
      auto bytes = io::unpack_lz4(piece.bytes, piece.unpacked_size);
      if (!bytes) {
        result_ = {EPROTO, bytes.error().text(), {}};
        return;
      }
      piece.bytes = std::move(*bytes);
    }
    if (!file_->write(piece.bytes)) fail(errno);
  }
  wire::FileStored finish() {
    if (!has_failed() && (!set_attributes(file_->fd(), offer_) || !file_->take_its_name()))
      fail(errno);
    return result_;
  }

 private:
  void fail(int error) { result_ = failed(error); }

  const wire::FileOffer& offer_;
  std::optional<PartialFile> file_;
  wire::FileStored result_;
};

// Piece by piece, to the disk and to the nodes below. A node that cannot store the file still
// passes it on.
wire::FileStored take_file(const io::FileReceiverSetup& setup, io::Channel& channel) {
  Intake intake(setup.offer);
  FileFollowers followers(setup.access, setup.offer);
  while (!intake.has_failed() || followers.anybody_left()) {
    auto frame = channel.receive(kNextPieceTimeout);
    auto piece =
        frame ? decode<wire::FilePiece>(*frame, Origin::foreign) : std::unexpected(frame.error());
    if (!piece) return {EIO, piece.error().text(), {}};
    followers.send(*frame);
    if (piece->bytes.empty()) break;
    intake.take(std::move(*piece));
  }
  wire::FileStored stored = intake.finish();
  stored.below = followers.finish();
  return stored;
}

// Joins the job's processes, so that files and memory count as theirs.
Result<void> join_job(const io::FileReceiverSetup& setup) {
  if (setup.confinement.groups != Confinement::Groups::none)
    if (auto entered = io::find_cgroup(setup.confinement)->enter(); !entered) return entered;
  if (setup.mount_namespace.empty()) return {};
  if (int error = io::enter_job_namespace(setup.mount_namespace.str()); error != 0)
    return fail(std::strerror(error));
  return {};
}

bool become_owner(const io::FileReceiverSetup& setup) {
  StepSetup user;
  user.change_user = setup.change_user;
  user.launch.uid = setup.session.peer_uid;
  user.launch.gid = setup.session.peer_gid;
  user.groups = setup.groups;
  return become_user(user);
}

// Reads the rest for a while, so that a reset of the connection does not overtake the answer.
void say_farewell(io::Channel& channel) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point until = Clock::now() + kFarewellTimeout;
  while (Clock::now() < until && channel.receive(kFarewellTimeout)) {
  }
}

}  // namespace

void receive_file(io::FileReceiverSetup setup, int connection) {
  umask(0);
  const bool joined = join_job(setup).has_value();
  const bool ready = joined && become_owner(setup);
  const int error = joined ? errno : EIO;
  io::Channel channel(connection, std::move(setup.session));
  const wire::FileStored stored = ready ? take_file(setup, channel) : failed(error);
  if (channel.send(encode(stored))) say_farewell(channel);
}

}  // namespace muster::step
