// System calls behind files.h.
#include "io/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/check.h"

namespace muster::io {

namespace {

constexpr long kNfsMagic = 0x6969;

std::unexpected<Error> failed(std::string_view what, const std::string& path) {
  return fail(errno == ENOSPC ? ErrorCode::state_storage_full : ErrorCode::failure,
              fmt::format("{} {}: {}", what, path, std::strerror(errno)));
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int close() { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

// Sets the mode with fchmod(), because the umask would restrict the mode given to open().
bool write_synced(File& file, std::string_view bytes, mode_t mode) {
  return ::fchmod(file.get(), mode) == 0 && write_all(file.get(), bytes) &&
         ::fsync(file.get()) == 0 && file.close() == 0;
}

Result<void> sync_directory(const std::string& path) {
  File directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() < 0) return failed("cannot open directory", path);
  if (::fsync(directory.get()) != 0) return failed("cannot sync directory", path);
  return {};
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return failed("cannot open", path);
  struct stat status{};
  std::string bytes;
  if (::fstat(file.get(), &status) == 0 && status.st_size > 0)
    bytes.reserve(static_cast<std::size_t>(status.st_size) + 1);
  std::array<char, 64u << 10> buffer;
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("cannot read", path);
    if (got == 0) return bytes;
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

Result<void> write_file_atomic(const std::string& path, std::string_view bytes, mode_t mode) {
  std::string temporary = path + ".XXXXXX";
  File file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) return failed("cannot create", temporary);
  if (!write_synced(file, bytes, mode) || ::rename(temporary.c_str(), path.c_str()) != 0) {
    auto error = failed("cannot write", path);
    ::unlink(temporary.c_str());
    return error;
  }
  return sync_directory(parent_of(path));
}

Result<void> make_directories(const std::string& path, mode_t mode) {
  if (path.empty()) return fail("a directory without a name");
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return {};
    return fail(fmt::format("{} is not a directory", path));
  }
  std::string plain = path;
  while (plain.size() > 1 && plain.back() == '/') plain.pop_back();
  if (auto made = make_directories(parent_of(plain), mode); !made) return made;
  if (::mkdir(plain.c_str(), mode) != 0) {
    if (errno == EEXIST) return {};  // another process was faster
    return failed("cannot create directory", plain);
  }
  if (::chmod(plain.c_str(), mode) != 0) return failed("cannot set the mode of", plain);
  return {};
}

bool exists(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0;
}

Result<void> remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return failed("cannot remove", path);
  return {};
}

Result<void> remove_tree(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error) return fail(fmt::format("cannot remove {}: {}", path, error.message()));
  return {};
}

Result<std::vector<std::string>> list_directory(const std::string& path) {
  std::error_code error;
  std::vector<std::string> names;
  std::filesystem::directory_iterator at(path, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error))
    names.push_back(at->path().filename().string());
  if (error) return fail(fmt::format("cannot list {}: {}", path, error.message()));
  std::ranges::sort(names);
  return names;
}

Sha256 sha256(std::string_view bytes) {
  // Looking up the algorithm takes longer than hashing a short text, so it is done once.
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  Sha256 digest;
  CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, algorithm, nullptr) == 1);
  return digest;
}

namespace {

std::string hexadecimal(const Sha256& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}

}  // namespace

std::string content_hash(std::string_view bytes) {
  const Sha256 digest = sha256(bytes);
  return {digest.begin(), digest.end()};
}

std::string keyed_hash(std::string_view key, std::string_view text) {
  Sha256 digest{};
  unsigned int size = digest.size();
  CHECK(::HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
               reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(),
               &size) != nullptr);
  return hexadecimal(digest);
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t filled = 0;
  while (filled < count) {
    const ssize_t got = ::getrandom(bytes.data() + filled, count - filled, 0);
    if (got < 0 && errno == EINTR) continue;
    CHECK(got > 0, "the kernel provides no random bytes");
    filled += static_cast<std::size_t>(got);
  }
  return bytes;
}

bool is_nfs(const std::string& path) {
  struct statfs status{};
  for (std::string at = path;; at = parent_of(at)) {
    if (::statfs(at.c_str(), &status) == 0) return status.f_type == kNfsMagic;
    if (errno != ENOENT || at == "/" || at == ".") return false;
  }
}

}  // namespace muster::io
