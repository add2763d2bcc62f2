// sstat: what running steps use now, as the steps themselves report it.
#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/codec/codec.h"
#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "cli/lib/command.h"
#include "cli/lib/controller.h"
#include "cli/lib/step_connection.h"
#include "cli/options/command_options.h"
#include "cli/options/option_lists.h"
#include "cli/sacct/list.h"
#include "cli/tables/lists.h"
#include "wire/step_messages.h"

namespace muster::cli {

namespace {

constexpr std::string_view kProgram = "sstat";

// In the order of --helpformat.
constexpr auto kFields = std::to_array<std::string_view>({"AveCPU",
                                                          "AveCPUFreq",
                                                          "AveDiskRead",
                                                          "AveDiskWrite",
                                                          "AvePages",
                                                          "AveRSS",
                                                          "AveVMSize",
                                                          "ConsumedEnergy",
                                                          "ConsumedEnergyRaw",
                                                          "JobID",
                                                          "MaxDiskRead",
                                                          "MaxDiskReadNode",
                                                          "MaxDiskReadTask",
                                                          "MaxDiskWrite",
                                                          "MaxDiskWriteNode",
                                                          "MaxDiskWriteTask",
                                                          "MaxPages",
                                                          "MaxPagesNode",
                                                          "MaxPagesTask",
                                                          "MaxRSS",
                                                          "MaxRSSNode",
                                                          "MaxRSSTask",
                                                          "MaxVMSize",
                                                          "MaxVMSizeNode",
                                                          "MaxVMSizeTask",
                                                          "MinCPU",
                                                          "MinCPUNode",
                                                          "MinCPUTask",
                                                          "Nodelist",
                                                          "NTasks",
                                                          "Pids",
                                                          "ReqCPUFreq",
                                                          "ReqCPUFreqMin",
                                                          "ReqCPUFreqMax",
                                                          "ReqCPUFreqGov",
                                                          "TRESUsageInAve",
                                                          "TRESUsageInMax",
                                                          "TRESUsageInMaxNode",
                                                          "TRESUsageInMaxTask",
                                                          "TRESUsageInMin",
                                                          "TRESUsageInMinNode",
                                                          "TRESUsageInMinTask",
                                                          "TRESUsageInTot",
                                                          "TRESUsageOutAve",
                                                          "TRESUsageOutMax",
                                                          "TRESUsageOutMaxNode",
                                                          "TRESUsageOutMaxTask",
                                                          "TRESUsageOutMin",
                                                          "TRESUsageOutMinNode",
                                                          "TRESUsageOutMinTask",
                                                          "TRESUsageOutTot"});
constexpr std::string_view kDefault =
    "JobID,MaxVMSize,MaxVMSizeNode,MaxVMSizeTask,AveVMSize,MaxRSS,MaxRSSNode,MaxRSSTask,AveRSS,"
    "MaxPages,MaxPagesNode,MaxPagesTask,AvePages,MinCPU,MinCPUNode,MinCPUTask,AveCPU,NTasks,"
    "AveCPUFreq,ReqCPUFreqMin,ReqCPUFreqMax,ReqCPUFreqGov,ConsumedEnergy,MaxDiskRead,"
    "MaxDiskReadNode,MaxDiskReadTask,AveDiskRead,MaxDiskWrite,MaxDiskWriteNode,MaxDiskWriteTask,"
    "AveDiskWrite,TRESUsageInAve,TRESUsageInMax,TRESUsageInMaxNode,TRESUsageInMaxTask,"
    "TRESUsageInMin,TRESUsageInMinNode,TRESUsageInMinTask,TRESUsageInTot,TRESUsageOutAve,"
    "TRESUsageOutMax,TRESUsageOutMaxNode,TRESUsageOutMaxTask,TRESUsageOutMin,TRESUsageOutMinNode,"
    "TRESUsageOutMinTask,TRESUsageOutTot";
constexpr std::string_view kPidFormat = "JobID,Nodelist,Pids";

// The process ids are in a field of the record that sstat does not show.
constexpr Field<AcctLine> kPids{
    {}, {0, "Pids", "Pids", ""}, {}, [](const AcctLine& line, FieldValue& value) {
      value.text(line.step->submit_line);
    }};
constexpr Field<AcctLine> kNodes{
    {}, {0, "Nodelist", "Nodelist", ""}, {}, [](const AcctLine& line, FieldValue& value) {
      value.text(line.step->nodes);
    }};

struct StatOptions {
  std::vector<std::string> jobs;
  std::string format;  // -o
  bool all_steps = false, header = true, lists_fields = false, convert = true;
  bool by_node = false;  // -i: one row per node, with its processes
  AcctForm form = AcctForm::table;
  int verbose = 0;
};

template <AcctForm Form>
Outcome bars(StatOptions& options, Value) {
  options.form = Form;
  return {};
}

using O = StatOptions;
// clang-format off
constexpr auto kRows = std::to_array<CommandOption<O>>({
    {{{"allsteps", 'a', none}, "", "all running steps of a job that is named without a step"}, flag<&O::all_steps>},
    {{{"fields", 0, required}, "fields", ""}, keep<&O::format>},
    {{{"format", 'o', required}, "fields", "what to show, with %width: jobid,maxrss%12"}, keep<&O::format>},
    {{{"help", 'h', none}, "", "show this list"}},
    {{{"helpformat", 'e', none}, "", "list the fields"}, flag<&O::lists_fields>},
    {{{"jobs", 'j', required}, "job[.step],...", "the steps to ask; default: the first running step of the job"}, keep<&O::jobs>},
    {{{"noconvert", 0, none}, "", "do not convert amounts; memory in bytes"}, flag<&O::convert, false>},
    {{{"noheader", 'n', none}, "", "no header"}, flag<&O::header, false>},
    {{{"parsable", 'p', none}, "", "fields end with |"}, bars<AcctForm::bars_ending>},
    {{{"parsable2", 'P', none}, "", "fields are separated by |"}, bars<AcctForm::bars>},
    {{{"pidformat", 'i', none}, "", "show the steps' process ids, node by node"}, flag<&O::by_node>},
    {{{"usage", 0, none}, "", "show a short list of options"}},
    {{{"verbose", 'v', none}, "", "print more messages"}, count<&O::verbose>},
    {{{"version", 'V', none}, "", "show the version"}},
});
// clang-format on
constexpr CommandText kCommand{.program = kProgram,
                               .purpose = "",
                               .operands = "-j <job(.stepid)>",
                               .hints_at_help = false,
                               .short_usage = true};

std::optional<AcctField> find_field(std::string_view name) {
  for (std::string_view known : kFields) {
    if (!istarts_with(known, name) || name.empty()) continue;
    if (known == "Pids") return AcctField{&kPids, known, 20};
    if (known == "Nodelist") return AcctField{&kNodes, known, 20};
    const AcctField* field = find_acct_field(known);
    if (!field) continue;
    AcctField own = *field;
    if (known.starts_with("AveDisk")) own.width = 12;  // narrower than in sacct
    return own;
  }
  return std::nullopt;
}

struct Columns {
  std::vector<AcctField> fields;
  std::vector<AcctColumn> columns;  // these point into `fields`
};
std::expected<Columns, Refusal> read_columns(std::string_view text) {
  Columns read;
  std::vector<int> widths;
  for (const std::string& part : split_list(text)) {
    auto percent = part.find('%');
    std::string name = part.substr(0, percent);
    auto field = find_field(name);
    if (!field)
      return std::unexpected(
          Refusal{error_lines(kProgram, fmt::format("Invalid field requested: \"{}\"", name)),
                  kExitFailure});
    int width = field->width;
    if (percent != part.npos)
      width = parse_number<int>(std::string_view(part).substr(percent + 1)).value_or(width);
    widths.push_back(std::clamp(width, -100'000, 100'000));
    read.fields.push_back(*field);
  }
  for (std::size_t i = 0; i < read.fields.size(); ++i)
    read.columns.push_back({&read.fields[i], widths[i]});
  return read;
}

std::string field_list() {
  constexpr std::size_t kPerLine = 4;
  std::string out;
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    bool last = i % kPerLine == kPerLine - 1 || i + 1 == kFields.size();
    out += fmt::format("{:<19}{}", kFields[i], last ? "\n" : " ");
  }
  return out;
}

// What to show: -i overrides -o.
std::string format_of(const StatOptions& options) {
  if (!options.by_node) return options.format.empty() ? std::string(kDefault) : options.format;
  return std::string(kPidFormat) + (options.format.empty() ? "" : "," + options.format);
}

// The step's record as accounting would have it, with its usage so far; or one record per node.
Result<std::vector<StepRecord>> ask_step(Controller& controller, const Job& job, const Step& step,
                                         bool by_node) {
  auto reply = controller.ask_for<wire::StepReply>(wire::AttachStepRequest{job.id, step.id});
  if (!reply) return std::unexpected(reply.error());
  StepRecord record;
  record.job = job.id;
  record.step = step.id;
  record.num_tasks = step.num_tasks;
  std::vector<StepRecord> records;
  std::vector<std::string> names, pids;
  auto finish = [&] {
    record.nodes = compress_hostlist(std::exchange(names, {}));
    record.submit_line = join(std::exchange(pids, {}), ",");
    records.push_back(record);
    record.usage = {};
  };
  for (std::size_t i = 0; i < reply->places.size() && i < step.nodes.size(); ++i) {
    const wire::StepPlace& place = reply->places[i];
    auto used = ask_usage(controller.config(), {job.id, place.attempt, step.id}, place.key, place);
    if (!used) return std::unexpected(used.error());
    record.usage.add(used->usage);
    names.push_back(place.node.str());
    for (std::uint32_t pid : used->pids) pids.push_back(std::to_string(pid));
    record.usage_nodes[step.nodes[i].node] = place.node;
    if (by_node) finish();
  }
  if (!by_node) finish();
  return records;
}

bool is_wanted(const wire::JobRef& ref, const Step& step, bool all_steps) {
  if (is_ended(step.state) || step.id == kExternStep) return false;
  if (ref.step) return step.id == *ref.step;
  return all_steps || step.id < kBatchStep;
}

// Prints the rows for one word of -j, and an error if it does not exist.
void ask_job(Controller& controller, const wire::JobRef& ref, const StatOptions& options,
             std::vector<AccountingRow>& rows) {
  const bool all_steps = options.all_steps;
  wire::JobsRequest request;
  request.filter.jobs.push_back({ref.job, ref.tasks, std::nullopt});
  auto reply = controller.ask_for<wire::JobsReply>(request);
  if (!reply || reply->jobs.empty())
    return print_error(kProgram, fmt::format("couldn't get steps for job {}", ref.job.value));
  for (const wire::JobView& view : reply->jobs) {
    const Job& job = *view.job;
    // The id of a heterogeneous job means its first component.
    if (job.is_het() && job.id.value != ref.job.value + ref.component.value_or(0)) continue;
    AccountingRow row;
    row.steps_only = true;
    row.job.job = job.id;
    row.job.array_id = job.array_id;
    row.job.task_id = job.task_id;
    for (const auto& [id, step] : job.run->steps) {
      if (!is_wanted(ref, step, all_steps)) continue;
      auto records = ask_step(controller, job, step, options.by_node);
      if (records)
        std::ranges::move(*records, std::back_inserter(row.steps));
      else
        print_error(kProgram, fmt::format("StepId={}.{}: {}", job.id.value, step_name(id),
                                          records.error().text()));
      if (!ref.step && !all_steps) break;
    }
    if (row.steps.empty() && !ref.step)
      print_error(kProgram, fmt::format("No steps running for job {}", job.id.value));
    if (row.steps.empty() && ref.step)
      print_error(kProgram, fmt::format("StepId={}.{} not found running.", job.id.value,
                                        step_name(*ref.step)));
    rows.push_back(std::move(row));
  }
}

int show(const StatOptions& options, const Columns& columns, Controller& controller) {
  std::vector<AccountingRow> rows;
  for (const std::string& word : options.jobs) {
    auto ref = wire::parse_job_ref(word);
    if (!ref) {
      const std::string text = fmt::format("Bad job/step specified: {}", word);
      return print(Refusal{fatal_line(kProgram, text), kExitFailure});
    }
    ask_job(controller, *ref, options, rows);
  }
  AcctOptions shown;
  shown.columns = columns.columns;
  shown.form = options.form;
  shown.header = options.header;
  shown.units.convert = options.convert;
  AcctContext context;
  context.units = shown.units;
  std::fputs(list_accounting(rows, shown, context).c_str(), stdout);
  return 0;
}

}  // namespace

std::vector<OptionText> sstat_options() { return {kRows.begin(), kRows.end()}; }

int sstat_main(int argc, char** argv) {
  StatOptions options;
  auto rest =
      read_options<O>(kCommand, kRows, std::vector<std::string>(argv + 1, argv + argc), options);
  if (!rest) return print(rest.error());
  if (options.lists_fields) {
    std::fputs(field_list().c_str(), stdout);
    return 0;
  }
  auto columns = read_columns(format_of(options));
  if (!columns) return print(columns.error());
  options.jobs.insert(options.jobs.end(), rest->begin(), rest->end());
  if (options.jobs.empty()) {
    print_error(kProgram, "You didn't give me any jobs to stat.");
    return kExitFailure;
  }
  auto controller = Controller::connect();
  if (!controller) {
    print_error(kProgram, controller.error().text());
    return kExitFailure;
  }
  return show(options, *columns, *controller);
}

}  // namespace muster::cli
