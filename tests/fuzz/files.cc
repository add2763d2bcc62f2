// Bytes from sockets and disks: frames, sealed and plain, files of the journal, of a snapshot and
// of a step, compressed pieces of a broadcast.
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/draw.h"
#include "fuzz/target.h"
#include "io/lz4.h"
#include "io/net/frame.h"
#include "io/net/handshake.h"
#include "io/stepd/step_file.h"
#include "io/store/sqlite_store.h"

namespace muster::fuzz {
namespace {

namespace fs = std::filesystem;

// In memory, new for each use.
class Directory {
 public:
  Directory() {
    char name[] = "/dev/shm/muster-fuzz-XXXXXX";
    if (!mkdtemp(name)) broken("no directory in /dev/shm");
    path_ = name;
  }
  ~Directory() { fs::remove_all(path_); }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
void write(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

void fill_store(const Directory& dir) {
  auto store = io::SqliteStore::open(dir.path());
  require(store.has_value() && (*store)->load().has_value(), "no store");
  for (BatchNumber number = 1; number <= 3; ++number)
    (void)(*store)->commit({number, {"event", "another"}, {{"hash", "script"}}});
  (void)(*store)->write_snapshot(2, "snapshot", {"hash"});
}

Seeds store_files() {
  Directory dir;
  fill_store(dir);
  return {content(dir / "journal.db")};
}
Seeds snapshot_files() {
  Directory dir;
  fill_store(dir);
  return {content(dir / "snapshot-2")};
}

void use_store(const Directory& dir) {
  auto store = io::SqliteStore::open(dir.path());
  if (!store || !(*store)->load()) return;
  (void)(*store)->read_blob("hash");
  (void)(*store)->commit({4, {"event"}, {}});
}

FUZZ_TARGET(journal_file, store_files()) {
  Directory dir;
  write(dir / "journal.db", bytes);
  use_store(dir);
}

FUZZ_TARGET(snapshot_file, snapshot_files()) {
  static const std::string journal = store_files()[0];
  Directory dir;
  write(dir / "journal.db", journal);
  write(dir / "snapshot-2", bytes);
  use_store(dir);
}

Seeds step_files() {
  Directory dir;
  write(dir / "1.1.0", "");
  (void)io::write_step_end(dir / "1.1.0", {.exit_status = 256});
  return {content(dir / "1.1.0")};
}
FUZZ_TARGET(step_file, step_files()) {
  io::parse_step_file_name(bytes);
  Directory dir;
  write(dir / "1.1.0", bytes);
  io::list_step_files(dir.path());
  io::read_step_note(dir / "1.1.0");
  io::read_step_end(dir / "1.1.0");
}

Seeds frame_bytes() {
  std::string frames;
  for (std::string body : {std::string("x"), std::string(300, 'y'), io::answer_over_unix()}) {
    for (int shift = 24; shift >= 0; shift -= 8)
      frames.push_back(static_cast<char>(body.size() >> shift));
    frames += body;
  }
  return {frames, io::answer_over_unix()};
}
FUZZ_TARGET(frames, frame_bytes()) {
  for (bool sealed : {false, true}) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0) return;
    io::Session session({}, 1u << 20);
    if (sealed) session.start_sealing(std::string(32, 'k'), true);
    if (::write(ends[0], bytes.data(), bytes.size()) >= 0) {
      close(ends[0]);
      while (auto more = session.read_from(ends[1]))
        if (!*more) break;
      for (auto frame = session.next_frame(); frame && *frame; frame = session.next_frame()) {
        (void)io::read_client_hello(**frame);
        (void)io::read_server_hello(**frame, {});
      }
    } else {
      close(ends[0]);
    }
    close(ends[1]);
  }
}

FUZZ_TARGET(lz4, {*io::pack_lz4(std::string(1000, 'a'))}) { (void)io::unpack_lz4(bytes, 1000); }

}  // namespace
}  // namespace muster::fuzz
