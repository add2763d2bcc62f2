// Finds the shared libraries of a program with ldd(1).
#include "cli/broadcast/libraries.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/lib/errors.h"

namespace muster::cli {

namespace {

// The output of ldd for a file; nothing if it is not a dynamic program.
std::optional<std::string> ask_ldd(const std::string& file) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string name = "ldd", argument = file;
  std::array<char*, 3> argv{name.data(), argument.data(), nullptr};
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, "ldd", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t count; error == 0 && (count = read(ends[0], buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(count));
  close(ends[0]);
  int status = 0;
  if (error != 0 || waitpid(pid, &status, 0) != pid || status != 0) return std::nullopt;
  return text;
}

bool is_below(std::string_view file, std::string_view directory) {
  while (directory.ends_with('/')) directory.remove_suffix(1);
  return !directory.empty() && file.starts_with(directory) && file.size() > directory.size() &&
         file[directory.size()] == '/';
}

int send_library(std::string_view program, const ClientConfig& config,
                 const wire::BroadcastReply& nodes, const std::string& file,
                 const std::string& directory, const BroadcastOptions& options) {
  auto source = open_source(file, directory + file.substr(file.rfind('/')), true, true);
  if (!source) {
    print_error(program, fmt::format("Can't open `{}`: {}", file, std::strerror(source.error())));
    return source.error();
  }
  source->offer.makes_directory = true;
  const int error = broadcast(program, config, nodes, *source, options);
  close(source->fd);
  return error;
}

}  // namespace

std::optional<bool> parse_send_libs(std::string_view value) {
  if (value.empty() || iequals(value, "yes")) return true;
  if (iequals(value, "no")) return false;
  return std::nullopt;
}

std::string library_directory(const std::string& program) { return program + "_libs"; }

// "	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f...)", "	/lib64/ld-linux.so.2
// (0x...)"
std::vector<std::string> libraries_in(std::string_view ldd_output, std::string_view exclude) {
  std::vector<std::string_view> excluded;
  if (!iequals(exclude, "NONE")) excluded = split(exclude, ',');
  std::vector<std::string> files;
  for (std::string_view line : split(ldd_output, '\n')) {
    const auto arrow = line.find("=> ");
    std::string_view file = trim(arrow == line.npos ? line : line.substr(arrow + 3));
    file = file.substr(0, file.find(" ("));
    if (!file.starts_with('/')) continue;
    if (std::ranges::none_of(excluded, [&](auto directory) { return is_below(file, directory); }))
      files.emplace_back(file);
  }
  return files;
}

int broadcast_libraries(std::string_view program, const ClientConfig& config,
                        const wire::BroadcastReply& nodes, const std::string& source,
                        const std::string& destination, const LibraryOptions& libraries,
                        const BroadcastOptions& options) {
  auto told = ask_ldd(source);
  if (!told) {
    print_error(program, fmt::format("Cannot autodetect libraries for '{}' with ldd command; still "
                                     "sending the file but ignoring send_libs",
                                     source));
    return 0;
  }
  int error = 0;
  for (const std::string& file : libraries_in(*told, libraries.exclude))
    if (int failed =
            send_library(program, config, nodes, file, library_directory(destination), options);
        failed != 0)
      error = failed;
  return error;
}

}  // namespace muster::cli
