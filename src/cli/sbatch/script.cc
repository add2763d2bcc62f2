// Reads and checks the script of a batch job.
#include "cli/sbatch/script.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text/strings.h"

namespace muster::cli {

namespace {

std::unexpected<Refusal> refuse(std::string_view text) {
  return std::unexpected(Refusal{error_lines(kSbatch, text), failure_code()});
}

// Reads slightly more than the limit, so that the check notices a longer script.
std::string read_all(int fd) {
  std::string text;
  std::array<char, 65536> buffer;
  while (text.size() <= kMaxScriptBytes) {
    ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;  // a directory reads as empty, and is refused as such
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return text;
}

}  // namespace

std::string find_script(std::string_view name) {
  std::string path(name);
  if (name.empty() || name.find('/') != name.npos) return path;
  if (::access(path.c_str(), F_OK) == 0) {
    char* directory = ::get_current_dir_name();
    std::string here = directory ? directory : ".";
    std::free(directory);
    return here + "/" + path;
  }
  if (const char* search = std::getenv("PATH"))
    for (std::string_view directory : split(search, ':'))
      if (std::string found = fmt::format("{}/{}", directory, name);
          ::access(found.c_str(), X_OK) == 0)
        return found;
  return path;
}

std::expected<BatchScript, Refusal> read_script(std::string_view name) {
  std::string path = find_script(name);
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return refuse(fmt::format("Unable to open file {}", name));
  BatchScript script{read_all(fd), path, {}};
  ::close(fd);
  return check_script(std::move(script));
}

std::expected<BatchScript, Refusal> read_script_from_stdin() {
  return check_script({read_all(STDIN_FILENO), {}, {}});
}

BatchScript wrapped_script(std::string_view command) {
  return {fmt::format("#!/bin/sh\n# Written by sbatch --wrap.\n\n{}\n", command), {}, {}};
}

std::expected<BatchScript, Refusal> check_script(BatchScript script) {
  const std::string& text = script.text;
  if (text.empty()) return refuse("Batch script is empty!");
  if (trim(text).empty()) return refuse("Batch script contains only whitespace!");
  if (trim(text).starts_with("#SBATCH")) {
    script.text = "#!/bin/bash\n" + text;
    script.warning = "warning: the script has no #! line, it runs under /bin/bash";
  } else if (!text.starts_with("#!")) {
    return refuse(
        "This does not look like a batch script.  The first\n"
        "line must start with #! followed by the path to an interpreter.\n"
        "For instance: #!/bin/sh");
  }
  if (text.find('\0') != text.npos)
    return refuse(
        "The Slurm controller does not allow scripts that\ncontain a NULL character '\\0'.");
  if (text.find("\r\n") != text.npos)
    return refuse(
        "Batch script contains DOS line breaks (\\r\\n)\ninstead of expected UNIX line breaks "
        "(\\n).");
  if (text.size() > kMaxScriptBytes)
    return refuse(
        "Batch job submission failed: Pathname of a file, directory or other parameter too long");
  return script;
}

bool begins_login_bash(std::string_view script) {
  const std::string_view line = script.substr(0, script.find('\n'));
  if (!line.starts_with("#!")) return false;
  bool is_bash = false;
  for (std::string_view word : split_words(line.substr(2))) {
    if (is_bash)
      return word == "--login" ||
             (word.starts_with('-') && !word.starts_with("--") && word.contains('l'));
    is_bash = word.substr(word.rfind('/') + 1) == "bash";
  }
  return false;
}

}  // namespace muster::cli
