#include "slurmctld/secret.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "io/files.h"
#include "io/log.h"

namespace muster::daemon {

namespace {

constexpr std::size_t kSecretBytes = 32;

Result<std::string> unusable(const std::string& path, std::string_view why) {
  return fail(
      fmt::format("{}: {}. Restore it, or remove it: a new one is made then, and steps that "
                  "run now can no longer be attached to",
                  path, why));
}

}  // namespace

std::string secret_path(const std::string& state_directory) { return state_directory + "/secret"; }

Result<std::string> load_secret(const std::string& state_directory) {
  const std::string path = secret_path(state_directory);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0 && errno == ENOENT) {
    std::string secret = io::random_bytes(kSecretBytes);
    if (auto ok = io::write_file_atomic(path, secret, 0600); !ok)
      return std::unexpected(ok.error());
    return secret;
  }
  if (fd < 0) return unusable(path, std::strerror(errno));
  struct stat status{};
  std::string secret(kSecretBytes + 1, '\0');
  const bool known = ::fstat(fd, &status) == 0;
  const ssize_t got =
      known && S_ISREG(status.st_mode) ? ::read(fd, secret.data(), secret.size()) : -1;
  ::close(fd);
  if (got != static_cast<ssize_t>(kSecretBytes))
    return unusable(path, fmt::format("it does not hold the {} bytes of a secret", kSecretBytes));
  if ((status.st_mode & 077) != 0 || (status.st_uid != ::geteuid() && status.st_uid != 0))
    return unusable(path,
                    "others may have read or changed it (it has to be SlurmUser's, mode 0600)");
  secret.resize(kSecretBytes);
  return secret;
}

Result<void> forget_secret(const std::string& state_directory) {
  return io::remove_file(secret_path(state_directory));
}

}  // namespace muster::daemon
