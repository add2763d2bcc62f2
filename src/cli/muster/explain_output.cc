// muster explain for batch jobs that failed: their output.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/text/strings.h"
#include "cli/lib/paths.h"
#include "cli/muster/explain_text.h"
#include "model/job/job_state.h"

namespace muster::cli {

namespace {

constexpr std::size_t kLinesTold = 3, kBytesRead = 4096, kMostOfLine = 200;

// The last lines of a regular file that the caller may read; none of others.
std::vector<std::string> last_lines(const std::string& path) {
  std::vector<std::string> lines;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return lines;
  struct stat status{};
  std::array<char, kBytesRead> bytes{};
  ssize_t size = 0;
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
    size = ::pread(fd, bytes.data(), bytes.size(),
                   std::max<off_t>(0, status.st_size - static_cast<off_t>(bytes.size())));
  ::close(fd);
  if (size <= 0) return lines;
  const std::string text(trim(std::string_view(bytes.data(), static_cast<std::size_t>(size))));
  const auto all = split(text, '\n');
  for (std::size_t i = all.size() - std::min(all.size(), kLinesTold); i < all.size(); ++i)
    lines.emplace_back(all[i].substr(0, kMostOfLine));
  return lines;
}

}  // namespace

std::string output_text(const Job& job) {
  if (job.spec->kind != JobKind::batch || !is_ended(job.state) ||
      job.state == JobState::completed || job.run->allocation.empty())
    return {};
  const std::string path = shown_stderr(job), directory = directory_of(path);
  std::string line = path;
  // Seen from here, which may be another machine than the node.
  if (::access(path.c_str(), F_OK) != 0 && ::access(directory.c_str(), W_OK) != 0)
    line += fmt::format(" is not there, and here {} cannot be written: {}", directory,
                        std::strerror(errno));
  std::string text = explained_line("output:", line);
  for (const std::string& each : last_lines(path)) text += explained_line("", each);
  return text;
}

}  // namespace muster::cli
