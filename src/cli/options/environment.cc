// Makes the environment of a job: --export, --export-file and --get-user-env.
#include "cli/options/environment.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "io/files.h"
#include "model/binding/mem_bind.h"

extern char** environ;

namespace muster::cli {

namespace {

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

bool is_slurm_variable(std::string_view entry) { return entry.starts_with("SLURM_"); }

}  // namespace

JobEnvironment::JobEnvironment(std::vector<std::string> entries) : entries_(std::move(entries)) {}

JobEnvironment JobEnvironment::of_process() {
  JobEnvironment own;
  for (char** entry = environ; entry && *entry; ++entry) own.entries_.emplace_back(*entry);
  return own;
}

const std::string* JobEnvironment::find(std::string_view name) const {
  for (const std::string& entry : entries_)
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name))
      return &entry;
  return nullptr;
}

std::string_view JobEnvironment::value(std::string_view name) const {
  const std::string* entry = find(name);
  return entry ? std::string_view(*entry).substr(name.size() + 1) : std::string_view{};
}

void JobEnvironment::set(std::string_view name, std::string_view value) {
  std::string entry = fmt::format("{}={}", name, value);
  if (const std::string* old = find(name))
    entries_[static_cast<std::size_t>(old - entries_.data())] = std::move(entry);
  else
    entries_.push_back(std::move(entry));
}

void JobEnvironment::set_number(std::string_view name, std::uint64_t value) {
  set(name, std::to_string(value));
}

void JobEnvironment::erase(std::string_view name) {
  if (const std::string* old = find(name))
    entries_.erase(entries_.begin() + (old - entries_.data()));
}

bool export_needs_login(std::string_view list) { return !list.empty() && !iequals(list, "ALL"); }

JobEnvironment exported(const JobEnvironment& own, std::string_view list) {
  if (list.empty() || iequals(list, "ALL")) return own;
  JobEnvironment out;
  auto parts = split(list, ',');
  bool everything = false;
  for (std::string_view part : parts) everything |= iequals(part, "ALL");
  if (everything) out = own;
  for (const std::string& entry : own.entries())
    if (is_slurm_variable(entry))
      out.set(name_of(entry), std::string_view(entry).substr(name_of(entry).size() + 1));
  if (iequals(list, "NONE") || iequals(list, "NIL")) return out;
  for (std::string_view part : parts) {
    auto equals = part.find('=');
    if (part.empty() || iequals(part, "ALL")) continue;
    if (equals != part.npos)
      out.set(part.substr(0, equals), part.substr(equals + 1));
    else if (own.find(part))
      out.set(part, own.value(part));
  }
  return out;
}

std::vector<std::string> parse_export_file(std::string_view bytes) {
  char separator = bytes.find('\0') != bytes.npos ? '\0' : '\n';
  std::vector<std::string> entries;
  for (std::string_view entry : split(bytes, separator))
    if (entry.find('=') != entry.npos && entry.front() != '=') entries.emplace_back(entry);
  return entries;
}

std::string short_host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  std::string_view full(name.data());
  return std::string(full.substr(0, full.find('.')));
}

namespace {

// A batch shell is not bound itself, but its steps read the option from here.
void add_mem_bind(JobEnvironment& environment, const Text& option) {
  auto bind = parse_mem_bind(option);
  if (!bind || (bind->kind == MemBind::Kind::unset && !bind->verbose && !bind->prefer)) return;
  std::string text = mem_bind_text(*bind);
  environment.set("SLURM_MEM_BIND", text.substr(bind->verbose ? 0 : sizeof "quiet"));
  environment.set("SLURM_MEM_BIND_VERBOSE", bind->verbose ? "verbose" : "quiet");
}

// The block size of "plane=4" has a variable of its own.
void add_distribution(JobEnvironment& environment, std::string_view text) {
  if (text.empty()) return;
  auto equals = text.find('=');
  environment.set("SLURM_DISTRIBUTION", text.substr(0, equals));
  if (equals != text.npos) environment.set("SLURM_DIST_PLANESIZE", text.substr(equals + 1));
}

}  // namespace

namespace {

// A job's options are passed on to its steps, which may use them as defaults. Options of a step are
// not passed on to its tasks: an srun in a task starts another step of the job.
void add_job_variables(JobEnvironment& environment, const JobOptions& options) {
  const JobRequest& spec = options.spec;
  auto set_amount = [&](const char* name, const auto& value) {
    // 0 means all of a node's memory, for which there is no variable.
    if (value.value_or(0) > 0) environment.set_number(name, *value);
  };
  auto set_text = [&](const char* name, const Text& value) {
    if (!value.empty()) environment.set(name, value);
  };
  set_amount("SLURM_NTASKS_PER_GPU", spec.ntasks_per_gpu);
  set_amount("SLURM_CPUS_PER_GPU", spec.cpus_per_gpu);
  set_amount("SLURM_MEM_PER_NODE", spec.memory_per_node_mib);
  set_amount("SLURM_MEM_PER_CPU", spec.memory_per_cpu_mib);
  set_amount("SLURM_MEM_PER_GPU", spec.memory_per_gpu_mib);
  set_text("SLURM_HINT", options.hint);
  set_text("SLURM_GPUS", spec.gpus);
  set_text("SLURM_GPUS_PER_NODE", spec.gpus_per_node);
  set_text("SLURM_GPUS_PER_TASK", spec.gpus_per_task);
  set_text("SLURM_GPUS_PER_SOCKET", spec.gpus_per_socket);
  set_text("SLURM_GPU_FREQ", spec.gpu_freq);
  set_text("SLURM_GPU_BIND", options.task.gpu_bind);
  set_text("SLURM_PROFILE", options.profile);
  set_text("SLURM_ACCTG_FREQ", spec.acctg_freq);
  set_text("SLURM_JOB_DEPENDENCY", Text(spec.dependency.view()));
  if (spec.open_mode != OpenMode::unset)
    environment.set("SLURM_OPEN_MODE", spec.open_mode == OpenMode::append ? "a" : "t");
}

}  // namespace

void add_option_variables(JobEnvironment& environment, const JobOptions& options) {
  const JobRequest& spec = options.spec;
  if (options.client != Client::srun) add_job_variables(environment, options);
  if (options.task.label) environment.set("SLURM_LABELIO", "1");
  auto set_if = [&](const char* name, const auto& value) {
    if (value) environment.set_number(name, *value);
  };
  auto set_text = [&](const char* name, const Text& value) {
    if (!value.empty()) environment.set(name, value);
  };
  set_text("SLURM_JOB_NAME", spec.name);
  if (spec.num_tasks) {
    environment.set_number("SLURM_NTASKS", *spec.num_tasks);
    environment.set_number("SLURM_NPROCS", *spec.num_tasks);
  }
  set_if("SLURM_CPUS_PER_TASK", spec.cpus_per_task);
  set_if("SLURM_NTASKS_PER_NODE", spec.ntasks_per_node);
  set_if("SLURM_NTASKS_PER_CORE", spec.ntasks_per_core);
  if (options.hint == "multithread" && !spec.ntasks_per_core)
    environment.set("SLURM_NTASKS_PER_CORE", "65535");  // as many as the core has threads
  set_if("SLURM_NTASKS_PER_SOCKET", spec.ntasks_per_socket);
  set_if("SLURM_THREADS_PER_CORE", spec.threads_per_core);
  set_text("SLURM_CPU_FREQ_REQ", spec.cpu_freq);
  add_mem_bind(environment, options.task.mem_bind);
  if (options.mpi != "none") set_text("SLURM_MPI_TYPE", options.mpi);
  add_distribution(environment, spec.distribution);
  if (spec.overcommit) environment.set("SLURM_OVERCOMMIT", "1");
  if (options.task.rendezvous) environment.set("SLURM_RENDEZVOUS", "1");
}

void add_submit_variables(JobEnvironment& environment) {
  if (char* directory = ::get_current_dir_name()) {
    environment.set("SLURM_SUBMIT_DIR", directory);
    std::free(directory);
  }
  environment.set("SLURM_SUBMIT_HOST", short_host_name());
  environment.set("SLURM_PRIO_PROCESS", std::to_string(::getpriority(PRIO_PROCESS, 0)));
}

namespace {

std::uint32_t submit_umask(const JobEnvironment& own) {
  std::string_view text = own.value("SLURM_UMASK");
  std::uint32_t mask = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mask, 8);
  if (!text.empty() && error == std::errc{} && end == text.data() + text.size()) return mask & 0777;
  mode_t current = ::umask(0);
  ::umask(current);
  return current;
}

std::expected<JobEnvironment, Refusal> read_export_file(const JobOptions& options,
                                                        const JobEnvironment& own) {
  std::string path = options.export_file.str();
  if (auto fd = parse_number<int>(path)) path = fmt::format("/dev/fd/{}", *fd);
  auto bytes = io::read_file(path);
  if (!bytes)
    return std::unexpected(Refusal{
        error_lines(
            client_name(options.client),
            fmt::format("Could not open user environment file {}", options.export_file.view())),
        kExitFailure});
  JobEnvironment read(parse_export_file(*bytes));
  for (const std::string& entry : own.entries())
    if (is_slurm_variable(entry) && !read.find(name_of(entry)))
      read.set(name_of(entry), own.value(name_of(entry)));
  return read;
}

}  // namespace

std::expected<BatchEnvironment, Refusal> batch_environment(const JobOptions& options,
                                                           const JobEnvironment& own) {
  JobEnvironment submitter = own;
  BatchEnvironment out;
  out.umask = submit_umask(own);
  submitter.erase("SLURM_UMASK");
  add_option_variables(submitter, options);
  add_submit_variables(submitter);

  if (!options.export_file.empty()) {
    auto read = read_export_file(options, submitter);
    if (!read) return std::unexpected(read.error());
    submitter = std::move(*read);
  }
  JobEnvironment job = exported(submitter, options.export_list);
  bool whole = options.export_list.empty() || iequals(options.export_list, "ALL");
  if (!whole) job.set("SLURM_EXPORT_ENV", options.export_list);
  out.get_user_env = options.spec.get_user_env || export_needs_login(options.export_list);
  if (out.get_user_env) job.set("SLURM_GET_USER_ENV", "1");
  out.entries = std::move(job).take();
  return out;
}

}  // namespace muster::cli
