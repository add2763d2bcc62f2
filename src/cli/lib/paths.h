// The names of a job's files as commands show and open them: "%x-%5j.out" -> "train-00012.out".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "model/job/job.h"

namespace muster::cli {

// What the letters of a pattern stand for. A letter without a value stays in the text.
struct FileNameParts {
  JobId job;
  JobId array;                      // %A; 0 = the job's own id
  std::uint32_t task_id = kNoTask;  // %a
  std::optional<StepId> step;       // %s, and %J becomes job.step
  std::string job_name, user_name;
  std::string host;                               // %N
  std::optional<std::uint32_t> node_index, rank;  // %n, %t
};

// %A %a %J %j %N %n %s %t %u %x %%, with zero padding of numbers ("%5j"). A pattern with a
// backslash is taken literally, without its backslashes.
std::string expand_file_name(std::string_view pattern, const FileNameParts& parts);

// Whether the pattern names a different file for each task or node (%t, %n, %N).
bool names_each_task(std::string_view pattern);

// The full paths of a batch job's files, as scontrol and squeue show them.
std::string shown_stdout(const Job& job);
std::string shown_stderr(const Job& job);
std::string shown_stdin(const Job& job);

// "/run/muster" for "/run/muster/slurmctld.sock"; "." for a name without a slash.
std::string directory_of(const std::string& path);

// The program that a word names: a path, or the first match on PATH; empty if there is none.
std::string find_program(const std::string& word);

// A word of a shell's command line.
std::string shell_quoted(const std::string& text);

}  // namespace muster::cli
