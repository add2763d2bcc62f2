// Reads, checks and makes the secret's file.
#include "slurmctld/secret.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "io/files.h"
#include "io/log.h"

namespace muster::daemon {

namespace {

constexpr std::size_t kSecretBytes = 32;

std::unexpected<Error> unusable(const std::string& path, std::string_view why) {
  return fail(
      fmt::format("{}: {}. Restore it, or remove it: a new one is made then, and steps that "
                  "run now can no longer be attached to",
                  path, why));
}

}  // namespace

std::string secret_path(const std::string& state_directory) { return state_directory + "/secret"; }

Result<Secret> load_secret(const std::string& state_directory) {
  const std::string path = secret_path(state_directory);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0 && errno == ENOENT) {
    Secret secret = io::random_bytes(kSecretBytes);
    if (auto ok = io::write_file_atomic(path, secret, 0600); !ok)
      return std::unexpected(ok.error());
    return secret;
  }
  if (fd < 0) return unusable(path, std::strerror(errno));
  struct stat status{};
  char bytes[kSecretBytes + 1];
  const bool known = ::fstat(fd, &status) == 0;
  const ssize_t got = known && S_ISREG(status.st_mode) ? ::read(fd, bytes, sizeof bytes) : -1;
  ::close(fd);
  Secret secret(std::string_view(bytes, kSecretBytes));
  ::explicit_bzero(bytes, sizeof bytes);
  if (got != static_cast<ssize_t>(kSecretBytes))
    return unusable(path, fmt::format("it does not hold the {} bytes of a secret", kSecretBytes));
  if ((status.st_mode & 077) != 0 || (status.st_uid != ::geteuid() && status.st_uid != 0))
    return unusable(path,
                    "others may have read or changed it (it has to be SlurmUser's, mode 0600)");
  return secret;
}

Result<void> forget_secret(const std::string& state_directory) {
  return io::remove_file(secret_path(state_directory));
}

}  // namespace muster::daemon
