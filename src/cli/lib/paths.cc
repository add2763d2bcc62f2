// Expands patterns in names of output files, and finds programs and files.
#include "cli/lib/paths.h"

#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

#include "base/text/strings.h"

namespace muster::cli {

namespace {

std::string padded(std::uint64_t number, unsigned width) {
  return fmt::format("{:0{}}", number, width);
}

// The text for one letter; nothing if the letter stays as it is.
std::optional<std::string> expand_letter(char letter, unsigned width, const FileNameParts& parts) {
  JobId array = parts.array ? parts.array : parts.job;
  switch (letter) {
    case '%':
      return "%";
    case 'A':
      return padded(array.value, width);
    case 'a':
      return padded(parts.task_id, width);
    case 'j':
      return padded(parts.job.value, width);
    case 'J':
      if (!parts.step) return padded(parts.job.value, width);
      return fmt::format("{}.{}", padded(parts.job.value, width), step_name(*parts.step));
    case 's':
      if (!parts.step) return std::nullopt;
      return step_name(*parts.step);
    case 'N':
      if (parts.host.empty()) return std::nullopt;
      return parts.host;
    case 'n':
      if (!parts.node_index) return std::nullopt;
      return padded(*parts.node_index, width);
    case 't':
      if (!parts.rank) return std::nullopt;
      return padded(*parts.rank, width);
    case 'u':
      return parts.user_name;
    case 'x':
      return parts.job_name;
    default:
      return std::nullopt;
  }
}

FileNameParts parts_of(const Job& job) {
  FileNameParts parts;
  parts.job = job.id;
  parts.array = job.array_id;
  parts.task_id = job.task_id;
  if (job.waiting_tasks.size() == 1) parts.task_id = job.waiting_tasks.min();
  parts.job_name = job.own.name.str();
  parts.user_name = job.spec->user_name.str();
  return parts;
}

std::string shown_path(const Job& job, std::string_view pattern) {
  std::string name = expand_file_name(pattern, parts_of(job));
  if (name.starts_with('/')) return name;
  return fmt::format("{}/{}", job.own.work_dir.view(), name);
}

}  // namespace

std::string expand_file_name(std::string_view pattern, const FileNameParts& parts) {
  constexpr unsigned kMaxWidth = 10;
  std::string out;
  if (pattern.find('\\') != pattern.npos) {
    for (char c : pattern)
      if (c != '\\') out += c;
    return out;
  }
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      out += pattern[i];
      continue;
    }
    std::size_t at = i + 1;
    unsigned width = 0;
    while (at < pattern.size() && pattern[at] >= '0' && pattern[at] <= '9')
      width = std::min(width * 10 + static_cast<unsigned>(pattern[at++] - '0'), kMaxWidth);
    auto text = at < pattern.size() ? expand_letter(pattern[at], width, parts) : std::nullopt;
    if (!text) {
      out += '%';
      continue;
    }
    out += *text;
    i = at;
  }
  return out;
}

bool names_each_task(std::string_view pattern) {
  if (pattern.find('\\') != pattern.npos) return false;
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] != '%') continue;
    std::size_t at = pattern.find_first_not_of("0123456789", i + 1);
    if (at == pattern.npos) return false;
    if (pattern[at] == 't' || pattern[at] == 'n' || pattern[at] == 'N') return true;
    i = at;
  }
  return false;
}

std::string shown_stdout(const Job& job) {
  if (!job.own.std_out.empty()) return shown_path(job, job.own.std_out);
  return shown_path(job, job.array_id ? "slurm-%A_%a.out" : "slurm-%j.out");
}

std::string shown_stderr(const Job& job) {
  if (!job.own.std_err.empty()) return shown_path(job, job.own.std_err);
  return shown_stdout(job);
}

std::string shown_stdin(const Job& job) {
  return job.own.std_in.empty() ? "/dev/null" : shown_path(job, job.own.std_in);
}

std::string directory_of(const std::string& path) {
  auto slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, slash);
}

std::string find_program(const std::string& word) {
  if (word.find('/') != word.npos) return access(word.c_str(), X_OK) == 0 ? word : "";
  const char* path = std::getenv("PATH");
  if (!path) return {};
  for (std::string_view directory : split(std::string_view(path), ':')) {
    std::string candidate = fmt::format("{}/{}", directory.empty() ? "." : directory, word);
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

std::string shell_quoted(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (text.find_first_not_of(kPlain) == text.npos) return text;
  return "'" + replace_all(text, "'", "'\\''") + "'";
}

}  // namespace muster::cli
