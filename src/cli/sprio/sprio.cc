// sprio: the factors of the priorities of waiting jobs. The controller sends the factors; their
// weights are the same for all jobs.
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "cli/lib/command.h"
#include "cli/lib/controller.h"
#include "cli/lib/name_lookup.h"
#include "cli/options/command_options.h"
#include "cli/options/option_lists.h"
#include "cli/tables/fields.h"
#include "cli/tables/lists.h"

namespace muster::cli {

namespace {

constexpr std::string_view kProgram = "sprio";

struct PriorityOptions {
  std::set<std::uint32_t> jobs;
  std::vector<std::string> users, partitions;
  std::set<Uid> uids;
  std::string format, clusters, sort = "i";
  bool header = true, long_form = false, normalized = false, weights = false;
  int verbose = 0;
};
using O = PriorityOptions;

std::unexpected<Refusal> refuse(std::string_view text) {
  return std::unexpected(Refusal{error_lines(kProgram, text), kExitFailure});
}

Outcome set_jobs(O& options, Value list) {
  for (const std::string& part : split_list(list)) {
    auto id = parse_number<std::uint32_t>(part);
    if (!id || *id == 0) return refuse(fmt::format("Invalid job id: {}", part));
    options.jobs.insert(*id);
  }
  return {};
}

Outcome set_users(O& options, Value list) {
  options.users = split_list(list);
  for (const std::string& name : options.users) {
    if (auto uid = find_user(name))
      options.uids.insert(*uid);
    else
      print_error(kProgram, fmt::format("Invalid user: {}", name));
  }
  return {};
}

// clang-format off
constexpr auto kRows = std::to_array<CommandOption<O>>({
    {{{"cluster", 0, required}, "list", ""}, keep<&O::clusters>},
    {{{"clusters", 'M', required}, "list", "jobs of these clusters", "SLURM_CLUSTERS"}, keep<&O::clusters>},
    {{{"federation", 0, none}, "", "accepted: there are no federations"}, accepted},
    {{{"format", 'o', required}, "format", "columns by letter: \"%.15i %9r %.10Y\""}, keep<&O::format>},
    {{{"help", 0, none}, "", "show this list"}},
    {{{"jobs", 'j', required}, "list", "jobs with these ids"}, set_jobs},
    {{{"local", 0, none}, "", "accepted: there are no federations"}, accepted},
    {{{"long", 'l', none}, "", "more columns"}, flag<&O::long_form>},
    {{{"noheader", 'h', none}, "", "no header line"}, flag<&O::header, false>},
    {{{"norm", 'n', none}, "", "factors between 0 and 1, before they are weighted"}, flag<&O::normalized>},
    {{{"partition", 'p', required}, "list", "jobs of these partitions"}, keep<&O::partitions>},
    {{{"sibling", 0, none}, "", "accepted: there are no federations"}, accepted},
    {{{"sort", 'S', required}, "list", "order by letters of -o, each after an optional + or -"}, keep<&O::sort>},
    {{{"usage", 0, none}, "", "show a short list of options"}},
    {{{"user", 'u', required}, "list", "jobs of these users, names or ids"}, set_users},
    {{{"verbose", 'v', none}, "", "print what is done"}, count<&O::verbose>},
    {{{"version", 'V', none}, "", "show the version"}},
    {{{"weights", 'w', none}, "", "the weights of the factors, instead of jobs"}, flag<&O::weights>},
});
// clang-format on
constexpr CommandText kCommand{kProgram, "Lists what the priorities of waiting jobs are made of.",
                               ""};

// A job, or the line of weights.
struct PriorityRow {
  struct Mark {};
  const wire::PriorityView* job = nullptr;
  const PrioritySettings* weights = nullptr;
  std::string_view cluster;

  Form form() const { return {}; }
};
using Row = const PriorityRow&;
using Out = std::string&;

// A weighted factor, rounded to a whole number.
template <auto Factor, auto Weight>
void put_weighted(Row row, Out out) {
  double weight = row.weights->*Weight;
  double value = row.job ? weight * (row.job->*Factor) : weight;
  fmt::format_to(std::back_inserter(out), "{:.0f}", value);
}
template <auto Factor, auto Weight>
void put_factor(Row row, Out out) {
  if (row.job)
    fmt::format_to(std::back_inserter(out), "{:.7f}", row.job->*Factor);
  else
    put_weighted<Factor, Weight>(row, out);
}
template <auto Name>
void put_name(Row row, Out out) {
  if (row.job) out += (row.job->*Name).view();
}

double weight_of(Row row, const Text& tres) {
  for (const auto& [name, weight] : row.weights->tres)
    if (name == tres) return weight;
  return 0;
}
void put_tres(Row row, Out out) {
  std::string_view comma;
  auto add = [&](const Text& name, double value) {
    fmt::format_to(std::back_inserter(out), "{}{}={:.0f}", comma, name.view(), value);
    comma = ",";
  };
  if (row.job) {
    for (const auto& [name, factor] : row.job->tres) add(name, factor * weight_of(row, name));
  } else {
    for (const auto& [name, weight] : row.weights->tres) add(name, weight);
  }
}
void put_tres_factors(Row row, Out out) {
  if (!row.job) return;
  std::string_view comma;
  for (const auto& [name, factor] : row.job->tres) {
    fmt::format_to(std::back_inserter(out), "{}{}={:.2f}", comma, name.view(), factor);
    comma = ",";
  }
}
void put_id(Row row, Out out) { out += row.job ? std::to_string(row.job->job.value) : "Weights"; }
void put_priority(Row row, Out out) {
  if (row.job) out += std::to_string(row.job->priority);
}
// A fixed priority is printed as it is, without factors.
bool is_fixed(const wire::PriorityView& job) {
  return job.tres.empty() && job.age + job.association + job.fair_share + job.job_size +
                                     job.partition_factor + job.qos_factor ==
                                 0;
}
void put_normal_priority(Row row, Out out) {
  if (!row.job) return;
  const double whole = is_fixed(*row.job) ? 1.0 : 4294967295.0;
  fmt::format_to(std::back_inserter(out), "{:.14f}", row.job->priority / whole);
}
void put_nice(Row row, Out out) {
  if (row.job) out += std::to_string(row.job->nice);
}
void put_site(Row row, Out out) { out += std::to_string(row.job ? row.job->site : 1); }

template <auto Factor>
std::int64_t by_factor(Row row) {
  constexpr double kFineness = 1e12;
  return static_cast<std::int64_t>(row.job->*Factor * kFineness);
}
std::int64_t by_id(Row row) { return row.job->job.value; }
std::int64_t by_priority(Row row) { return row.job->priority; }
std::int64_t by_nice(Row row) { return row.job->nice; }

using V = wire::PriorityView;
using W = PrioritySettings;
template <auto Put>
void written(Row row, FieldValue& value) {
  Put(row, value.text());
}
constexpr Field<PriorityRow> column(char letter, std::string_view header, Getter<PriorityRow> get,
                                    std::int64_t (*key)(Row) = nullptr) {
  return {{}, {letter, "", header, ""}, {}, get, {.key = key}};
}

constexpr Field<PriorityRow> kColumns[] = {
    column('a', "AGE", written<put_factor<&V::age, &W::age>>, by_factor<&V::age>),
    column('A', "AGE", written<put_weighted<&V::age, &W::age>>, by_factor<&V::age>),
    column('b', "ASSOC", written<put_factor<&V::association, &W::association>>,
           by_factor<&V::association>),
    column('B', "ASSOC", written<put_weighted<&V::association, &W::association>>,
           by_factor<&V::association>),
    column('c', "CLUSTER", [](Row r, FieldValue& v) { v.text(r.cluster); }),
    column('f', "FAIRSHARE", written<put_factor<&V::fair_share, &W::fair_share>>,
           by_factor<&V::fair_share>),
    column('F', "FAIRSHARE", written<put_weighted<&V::fair_share, &W::fair_share>>,
           by_factor<&V::fair_share>),
    column('i', "JOBID", written<put_id>, by_id),
    column('j', "JOBSIZE", written<put_factor<&V::job_size, &W::job_size>>,
           by_factor<&V::job_size>),
    column('J', "JOBSIZE", written<put_weighted<&V::job_size, &W::job_size>>,
           by_factor<&V::job_size>),
    column('N', "NICE", written<put_nice>, by_nice),
    column('o', "ACCOUNT", written<put_name<&V::account>>),
    column('n', "QOSNAME", written<put_name<&V::qos>>),
    column('p', "PARTITION", written<put_factor<&V::partition_factor, &W::partition>>,
           by_factor<&V::partition_factor>),
    column('P', "PARTITION", written<put_weighted<&V::partition_factor, &W::partition>>,
           by_factor<&V::partition_factor>),
    column('q', "QOS", written<put_factor<&V::qos_factor, &W::qos>>, by_factor<&V::qos_factor>),
    column('Q', "QOS", written<put_weighted<&V::qos_factor, &W::qos>>, by_factor<&V::qos_factor>),
    column('r', "PARTITION", written<put_name<&V::partition>>),
    column('S', "SITE", written<put_site>),
    column('t', "TRES", written<put_tres_factors>),
    column('T', "TRES", written<put_tres>),
    column('u', "USER", written<put_name<&V::user>>),
    column('y', "PRIORITY", written<put_normal_priority>, by_priority),
    column('Y', "PRIORITY", written<put_priority>, by_priority),
};

// A factor without weight has no column, unless all are requested.
std::string usual_format(const O& options, const PrioritySettings& w) {
  const bool all = options.long_form;
  std::string format = "%.15i %9r";
  auto add = [&](bool shown, std::string_view field) {
    if (shown) format.append(" ").append(field);
  };
  add(all || !options.users.empty(), "%.8u");
  if (options.normalized) {
    add(true, "%10y");
    add(all || w.age, "%10a");
    add(all || w.association, "%10b");
    add(all || w.fair_share, "%10f");
    add(all || w.job_size, "%10j");
    add(all || w.partition, "%10p");
    add(all || w.qos, "%10q");
    add(all || !w.tres.empty(), "%20t");
    return format;
  }
  add(true, "%.10Y");
  add(true, "%.10S");
  add(all || w.age, "%.10A");
  add(all || w.association, "%.10B");
  add(all || w.fair_share, "%.10F");
  add(all || w.job_size, "%.10J");
  add(all || w.partition, "%.10P");
  add(all || w.qos, "%.10Q");
  add(all, "%.11N");
  add(all || !w.tres.empty(), "%.20T");
  return format;
}

bool is_wanted(const O& options, const wire::PriorityView& job) {
  auto lists = [](const std::vector<std::string>& names, const Text& name) {
    return std::ranges::any_of(names, [&](const std::string& n) { return n == name.view(); });
  };
  if (!options.jobs.empty() && !options.jobs.contains(job.job.value)) return false;
  if (!options.users.empty() && !options.uids.contains(job.uid)) return false;
  return options.partitions.empty() || lists(options.partitions, job.partition);
}

Outcome run(std::span<const std::string> words) {
  O options;
  auto rest = read_options<O>(kCommand, kRows, words, options);
  if (!rest) return std::unexpected(rest.error());
  if (!rest->empty()) return refuse(fmt::format("Unrecognized option: {}", rest->front()));
  auto controller = Controller::connect();
  auto failed = [](const Error& error) {
    return std::unexpected(
        Refusal{fmt::format("Couldn't get priority factors from controller: {}\n", error.text()),
                kExitBadOption});
  };
  if (!controller) return failed(controller.error());
  if (auto known = check_clusters(kProgram, options.clusters, controller->config().cluster_name);
      !known)
    return known;
  auto reply = controller->ask_for<wire::PrioritiesReply>(wire::PrioritiesRequest{});
  if (!reply) return failed(reply.error());
  if (!reply->weights.multifactor)
    return std::unexpected(
        Refusal{"You are not running a supported priority plugin\n(priority/basic).\n"
                "Only 'priority/multifactor' is supported.\n",
                kExitFailure});
  std::vector<PriorityRow> rows;
  const std::string& cluster = controller->config().cluster_name;
  if (options.weights) rows.push_back({nullptr, &reply->weights, cluster});
  if (!options.weights)
    for (const wire::PriorityView& job : reply->jobs)
      if (is_wanted(options, job)) rows.push_back({&job, &reply->weights, cluster});
  std::span<const Field<PriorityRow>> table = kColumns;
  auto order = sort_keys(table, options.sort);
  if (!order) return refuse(fmt::format("Invalid sort specification: {}", order.error()));
  if (!options.weights) sort_records(rows, *order);
  std::string out;
  if (rows.empty() && !options.jobs.empty())
    out = "Unable to find jobs matching user/id(s) specified\n";
  auto format = letter_format(
      table, options.format.empty() ? usual_format(options, reply->weights) : options.format);
  for (const std::string& letter : format.unknown)
    print_error(kProgram, fmt::format("Invalid job format specification: {}", letter));
  if (out.empty() && options.header) append_header(format, out);
  append_records(format, rows, out);
  return write_out(out) ? Outcome{} : std::unexpected(Refusal{});
}

}  // namespace

std::vector<OptionText> sprio_options() { return {kRows.begin(), kRows.end()}; }

int sprio_main(int argc, char** argv) {
  auto done = run(std::vector<std::string>(argv + 1, argv + argc));
  return done ? 0 : print(done.error());
}

}  // namespace muster::cli
