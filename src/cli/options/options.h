// The job options of sbatch, srun and salloc: the values, and where they came from. The table
// (option_table.h) knows the options, this file applies them: #SBATCH lines first, then input
// variables, then the command line, so that later ones win.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "cli/lib/errors.h"
#include "model/job/job_spec.h"
#include "model/job/task_options.h"

namespace muster::cli {

enum class Client : std::uint8_t { sbatch = 1, srun = 2, salloc = 4 };
std::string_view client_name(Client client);

enum class Source : std::uint8_t { script, environment, command_line };

struct OptionUse {
  Source source = Source::script;
  std::string value;
};

struct JobOptions {
  JobOptions(Client command, Time time_of_call) : client(command), now(time_of_call) {}

  Client client;
  Time now;  // the base of dates such as now+1hour
  JobRequest spec;
  TaskOptions task;  // for steps; fields that the job itself has (files, directory) are not in it
  std::map<std::string, OptionUse, std::less<>> given;  // by long name; the use that counts

  bool quiet = false;
  std::uint32_t verbose = 0;
  bool test_only = false;
  bool list_gres = false;  // --gres=help
  Text export_list;        // --export; empty = not given
  Text hint, profile;
  std::string host_file;  // SLURM_HOSTFILE
  bool parsable = false;  // --parsable: print only the id
  Text clusters;
  std::optional<std::uint32_t> immediate_s;  // -I; 0 = at once
  std::optional<Uid> owner;                  // --uid
  std::optional<Gid> owner_group;            // --gid

  // sbatch
  bool wait_for_end = false, ignore_pbs = false;
  Text export_file;
  std::optional<std::string> wrap;

  // srun
  bool unbuffered = false, overlap = false, exact = false, whole = false, multi_prog = false,
       preserve_env = false, disable_status = false, quit_on_interrupt = false, async = false,
       interactive = false, no_allocate = false;
  std::optional<std::uint32_t> job_id, kill_on_bad_exit, wait_s, threads, msg_timeout_s, relative;
  std::optional<std::uint32_t> reserved_ports;
  Text mpi;
  std::optional<std::string> bcast, compress, send_libs;  // empty = given without a value
  Text bcast_exclude;
  Text prolog, epilog;

  // salloc
  bool bell = false, no_bell = false, no_shell = false;
  Text kill_command;

  bool is_given(std::string_view name) const { return given.contains(name); }
  bool is_said(std::string_view name) const {  // not only by a variable
    auto use = given.find(name);
    return use != given.end() && use->second.source != Source::environment;
  }
};

// Options before the command in their order, and the words from the command on.
struct ParsedWords {
  std::vector<std::pair<std::string_view, std::string>> options;  // long name, value
  std::vector<std::string> rest;
  std::vector<std::string> places;  // of options in a script: "job.sh:3: #SBATCH -t x"; else empty
};
std::expected<ParsedWords, Refusal> parse_words(Client client, std::span<const std::string> words);

Outcome apply(JobOptions& options, const ParsedWords& words, Source source);
// `lookup` returns a variable's value or null; std::getenv fits.
Outcome apply_environment(JobOptions& options,
                          const std::function<const char*(const char*)>& lookup);

// To be called after all sources: applies what options imply for each other, and finds
// contradictions. Warnings for the user go to `warnings`, one line each.
Outcome finish(JobOptions& options, std::vector<std::string>& warnings);

// -v: a line such as "mem : 10" for every option given.
std::string describe(const JobOptions& options);

}  // namespace muster::cli
