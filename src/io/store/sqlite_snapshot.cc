// Reads and writes snapshot files, and implements DurableFiles with system calls.
#include "io/store/sqlite_snapshot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/text/strings.h"
#include "io/files.h"

namespace muster::io {

namespace {

constexpr std::string_view kPrefix = "snapshot-";
constexpr std::string_view kMagic = "MUSTSNAP";
constexpr std::uint64_t kSnapshotFormat = 1;
constexpr std::size_t kNumbersSize = 8 + 3 * 8;  // magic, version, number, length
constexpr std::size_t kDigestSize = std::tuple_size_v<Sha256>;
constexpr std::size_t kHeaderSize = kNumbersSize + kDigestSize;

void put_number(std::string& out, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

std::uint64_t get_number(std::string_view in, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) value = value << 8 | static_cast<unsigned char>(in[at + i]);
  return value;
}

std::string digest(std::string_view bytes) {
  const Sha256 sum = sha256(bytes);
  return {sum.begin(), sum.end()};
}

std::string make_header(BatchNumber number, std::string_view bytes) {
  std::string header(kMagic);
  put_number(header, kSnapshotFormat);
  put_number(header, number);
  put_number(header, bytes.size());
  return header + digest(bytes);
}

Result<std::string> check_content(const std::string& path, BatchNumber number,
                                  std::string content) {
  if (content.size() < kNumbersSize || !content.starts_with(kMagic))
    return fail(path + ": not a state snapshot, or damaged; it was left as it is");
  std::uint64_t version = get_number(content, 8);
  if (version > kSnapshotFormat)
    return fail(fmt::format(
        "{}: written by a newer version (format {}, this program knows {}); it was left as it is",
        path, version, kSnapshotFormat));
  if (content.size() < kHeaderSize || get_number(content, 16) != number ||
      get_number(content, 24) != content.size() - kHeaderSize ||
      std::string_view(content).substr(kNumbersSize, kDigestSize) !=
          digest(std::string_view(content).substr(kHeaderSize)))
    return fail(
        path +
        ": the state snapshot is damaged (its checksum does not match); it was left as it is");
  content.erase(0, kHeaderSize);
  return content;
}

Error system_error(const std::string& path, std::string_view doing) {
  bool full = errno == ENOSPC || errno == EDQUOT;
  return {full ? ErrorCode::state_storage_full : ErrorCode::failure,
          fmt::format("{}: {}: {}", path, doing, std::strerror(errno))};
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

class SystemFiles final : public DurableFiles {
 public:
  Result<std::vector<std::string>> list(const std::string& dir) override {
    std::error_code code;
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator entry(dir, code), end; !code && entry != end;
         entry.increment(code))
      names.push_back(entry->path().filename().string());
    if (code) return fail(fmt::format("{}: {}", dir, code.message()));
    return names;
  }

  Result<std::string> read(const std::string& path) override {
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) return std::unexpected(system_error(path, "cannot open it"));
    std::string content;
    std::array<char, 1 << 16> buffer;
    for (;;) {
      ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return std::unexpected(system_error(path, "cannot read it"));
      if (count == 0) return content;
      content.append(buffer.data(), static_cast<std::size_t>(count));
    }
  }

  Result<void> write(const std::string& path, std::string_view bytes) override {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (file.get() < 0) return std::unexpected(system_error(path, "cannot create it"));
    while (!bytes.empty()) {
      ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return std::unexpected(system_error(path, "cannot write it"));
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
  }

  Result<void> sync(const std::string& path) override { return sync_with(path, O_WRONLY); }
  Result<void> sync_dir(const std::string& dir) override {
    return sync_with(dir, O_RDONLY | O_DIRECTORY);
  }

  Result<void> rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) == 0) return {};
    return std::unexpected(system_error(to, "cannot rename to it"));
  }

  Result<void> remove(const std::string& path) override {
    if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
    return std::unexpected(system_error(path, "cannot remove it"));
  }

 private:
  static Result<void> sync_with(const std::string& path, int flags) {
    Descriptor file(::open(path.c_str(), flags | O_CLOEXEC));
    if (file.get() < 0) return std::unexpected(system_error(path, "cannot open it"));
    if (::fsync(file.get()) == 0) return {};
    return std::unexpected(system_error(path, "fsync"));
  }
};

}  // namespace

DurableFiles& system_files() {
  static SystemFiles files;
  return files;
}

std::string SnapshotFile::path(BatchNumber number) const {
  return fmt::format("{}/{}{}", dir_, kPrefix, number);
}

std::string SnapshotFile::temporary_path() const { return dir_ + "/snapshot.new"; }

Result<std::vector<BatchNumber>> SnapshotFile::numbers() const {
  auto names = files_.list(dir_);
  if (!names) return std::unexpected(names.error());
  std::vector<BatchNumber> found;
  for (std::string_view name : *names) {
    if (!name.starts_with(kPrefix)) continue;
    if (auto number = parse_number<BatchNumber>(name.substr(kPrefix.size())))
      found.push_back(*number);
  }
  std::ranges::sort(found);
  return found;
}

Result<BatchNumber> SnapshotFile::newest() const {
  auto found = numbers();
  if (!found) return std::unexpected(found.error());
  return found->empty() ? 0 : found->back();
}

Result<SnapshotFile::Content> SnapshotFile::read() const {
  auto number = newest();
  if (!number) return std::unexpected(number.error());
  if (*number == 0) return Content{};
  auto content = files_.read(path(*number));
  if (!content) return std::unexpected(content.error());
  auto bytes = check_content(path(*number), *number, *std::move(content));
  if (!bytes) return std::unexpected(bytes.error());
  return Content{*number, *std::move(bytes)};
}

Result<void> SnapshotFile::write(BatchNumber number, std::string_view bytes) {
  std::string temporary = temporary_path();
  std::string content = make_header(number, bytes);
  content += bytes;
  auto written = files_.write(temporary, content);
  if (written) written = files_.sync(temporary);
  if (!written) {
    (void)files_.remove(temporary);  // report the first error; the next write truncates the file
    return written;
  }
  if (auto renamed = files_.rename(temporary, path(number)); !renamed) return renamed;
  return files_.sync_dir(dir_);
}

Result<void> SnapshotFile::remove_before(BatchNumber number) {
  auto found = numbers();
  if (!found) return std::unexpected(found.error());
  for (BatchNumber old : *found) {
    if (old >= number) continue;
    if (auto removed = files_.remove(path(old)); !removed) return removed;
  }
  return files_.remove(temporary_path());
}

}  // namespace muster::io
