// sshare: the tree of accounts and users, their shares of the cluster and their usage.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/lib/command.h"
#include "cli/lib/controller.h"
#include "cli/lib/name_lookup.h"
#include "cli/options/command_options.h"
#include "cli/options/option_lists.h"
#include "cli/tables/bar_table.h"
#include "cli/tables/lists.h"

namespace muster::cli {

namespace {

constexpr std::string_view kProgram = "sshare";

struct ShareOptions {
  std::vector<std::string> accounts, users;
  std::string format, clusters;
  bool all_users = false, header = true, lists_fields = false, long_form = false,
       partitions = false, only_users = false;
  BarForm form = BarForm::table;
  int verbose = 0;
};
using O = ShareOptions;

template <BarForm Form>
Outcome bars(O& options, Value) {
  options.form = Form;
  return {};
}

// clang-format off
constexpr auto kRows = std::to_array<CommandOption<O>>({
    {{{"accounts", 'A', required}, "list", "these accounts, with everything below them"}, keep<&O::accounts>},
    {{{"all", 'a', none}, "", "all users, not only yourself"}, flag<&O::all_users>},
    {{{"cluster", 0, required}, "list", ""}, keep<&O::clusters>},
    {{{"clusters", 'M', required}, "list", "shares of these clusters", "SLURM_CLUSTERS"}, keep<&O::clusters>},
    {{{"format", 'o', required}, "fields", "what to show, with %width: account,user%12"}, keep<&O::format>},
    {{{"help", 0, none}, "", "show this list"}},
    {{{"helpformat", 'e', none}, "", "list the fields"}, flag<&O::lists_fields>},
    {{{"long", 'l', none}, "", "more columns"}, flag<&O::long_form>},
    {{{"noheader", 'n', none}, "", "no header"}, flag<&O::header, false>},
    {{{"noheader", 'h', none}, "", ""}, flag<&O::header, false>},
    {{{"parsable", 'p', none}, "", "fields end with |"}, bars<BarForm::bars_ending>},
    {{{"parsable2", 'P', none}, "", "fields are separated by |"}, bars<BarForm::bars>},
    {{{"partition", 'm', none}, "", "a column with the partition"}, flag<&O::partitions>},
    {{{"usage", 0, none}, "", "show a short list of options"}},
    {{{"users", 'u', required}, "list", "these users"}, keep<&O::users>},
    {{{"Users", 'U', none}, "", "users only, no accounts"}, flag<&O::only_users>},
    {{{"verbose", 'v', none}, "", "print what is done"}, count<&O::verbose>},
    {{{"version", 'V', none}, "", "show the version"}},
});
// clang-format on
constexpr CommandText kCommand{
    kProgram, "Lists the shares of accounts and users and what they have used.", ""};

struct ShareLine {
  const wire::ShareView* view = nullptr;
  const wire::SharesReply* reply = nullptr;
  std::uint32_t indent = 0;
  std::string_view cluster;

  bool is_root() const { return view->depth == 0; }
  bool is_user() const { return !view->key.user.empty(); }
};
using Line = const ShareLine&;
using Out = std::string&;

void put_number(double value, Out out) { fmt::format_to(std::back_inserter(out), "{:.6f}", value); }

void put_account(Line line, Out out) {
  out.append(line.indent, ' ');
  out += line.view->key.account.empty() ? kRootAccount : line.view->key.account.view();
}
void put_shares(Line line, Out out) {
  if (line.is_root()) return;
  out += line.view->shares_of_parent ? "parent" : std::to_string(line.view->shares);
}
void put_norm_shares(Line line, Out out) {
  if (line.reply->counted) put_number(line.view->shares_norm, out);
}
void put_usage(Line line, Out out) {
  out += std::to_string(static_cast<std::uint64_t>(line.view->usage_raw));
}
void put_norm_usage(Line line, Out out) {
  if (line.reply->counted && !line.is_root()) put_number(line.view->usage_norm, out);
}
void put_effective_usage(Line line, Out out) {
  put_number(line.reply->counted ? line.view->usage_effective : 0, out);
}
void put_factor(Line line, Out out) {
  if (!line.is_user() && line.reply->fair_tree) return;
  put_number(line.reply->counted ? line.view->factor : 0, out);
}
void put_level(Line line, Out out) {
  if (!line.reply->counted || line.is_root() || line.view->shares_of_parent) return;
  if (std::isinf(line.view->level_fs))
    out += "inf";
  else
    put_number(line.view->level_fs, out);
}
void put_group_minutes(Line line, Out out) {
  std::string_view comma;
  for (const auto& [name, minutes] : line.view->group_minutes) {
    fmt::format_to(std::back_inserter(out), "{}{}={}", comma, name.view(), minutes);
    comma = ",";
  }
}

// The resources that are always accounted for, then all others.
template <class Amounts, class Minutes>
void put_all_tres(const Amounts& amounts, Minutes minutes, Out out) {
  constexpr std::string_view kAlways[] = {"cpu",     "mem",     "energy", "node",
                                          "billing", "fs/disk", "vmem",   "pages"};
  std::string_view comma;
  auto put = [&](std::string_view name, std::uint64_t amount) {
    fmt::format_to(std::back_inserter(out), "{}{}={}", comma, name, amount);
    comma = ",";
  };
  for (std::string_view name : kAlways) {
    auto at = std::ranges::find_if(amounts, [&](const auto& a) { return a.first == name; });
    put(name, at == amounts.end() ? 0 : minutes(at->second));
  }
  for (const auto& [name, amount] : amounts)
    if (std::ranges::find(kAlways, name.view()) == std::end(kAlways)) put(name, minutes(amount));
}
void put_running(Line line, Out out) {
  put_all_tres(line.view->running_minutes, [](std::uint64_t minutes) { return minutes; }, out);
}
void put_used(Line line, Out out) {
  put_all_tres(
      line.view->tres_raw, [](double seconds) { return static_cast<std::uint64_t>(seconds / 60); },
      out);
}

struct ShareField {
  std::string_view name;
  int width = 0;
  void (*append)(Line line, Out out) = nullptr;
};

// In the order of --helpformat.
constexpr auto kFields = std::to_array<ShareField>({
    {"Account", -20, put_account},
    {"Cluster", 10, [](Line line, Out out) { out += line.cluster; }},
    {"EffectvUsage", 13, put_effective_usage},
    {"FairShare", 10, put_factor},
    {"GrpTRESMins", 30, put_group_minutes},
    {"GrpTRESRaw", 30, put_used},
    {"LevelFS", 10, put_level},
    {"NormShares", 11, put_norm_shares},
    {"NormUsage", 11, put_norm_usage},
    {"Partition", 12, [](Line line, Out out) { out += line.view->key.partition.view(); }},
    {"RawShares", 10, put_shares},
    {"RawUsage", 11, put_usage},
    {"TRESRunMins", 30, put_running},
    {"User", 10, [](Line line, Out out) { out += line.view->key.user.view(); }},
});

const ShareField* find_field(std::string_view name) {
  auto at = std::ranges::find_if(
      kFields, [&](const ShareField& f) { return !name.empty() && istarts_with(f.name, name); });
  return at == kFields.end() ? nullptr : &*at;
}

std::string usual_format(const O& options, bool fair_tree) {
  std::string format = "Account,User,";
  if (options.partitions) format += "Partition,";
  format += "RawShares,NormShares,RawUsage,";
  if (options.long_form) format += "NormUsage,";
  format += "EffectvUsage,FairShare";
  if (options.long_form) format += fair_tree ? ",LevelFS" : "";
  if (options.long_form) format += ",GrpTRESMins,TRESRunMins";
  return format;
}

bool names(const std::vector<std::string>& list, std::string_view name) {
  return std::ranges::any_of(list, [&](const std::string& word) { return word == name; });
}

// The selected accounts with everything below them, one level to the left.
std::vector<ShareLine> lines_of(const wire::SharesReply& reply, const O& options,
                                std::string_view own_name, std::string_view cluster) {
  std::vector<ShareLine> lines;
  std::uint32_t top = 0;  // the depth of the selected account above this row
  bool inside = options.accounts.empty();
  for (const wire::ShareView& row : reply.rows) {
    const bool is_user = !row.key.user.empty();
    if (!options.accounts.empty()) {
      if (inside && row.depth <= top) inside = false;
      if (!inside && !is_user && names(options.accounts, row.key.account)) {
        inside = true;
        top = row.depth;
      }
    }
    if (!inside) continue;
    if (is_user) {
      const bool wanted = !options.users.empty() ? names(options.users, row.key.user)
                                                 : options.all_users || row.key.user == own_name;
      if (!wanted) continue;
    } else if (options.only_users) {
      continue;
    }
    lines.push_back({&row, &reply, options.only_users ? 0 : row.depth - top, cluster});
  }
  return lines;
}

std::unexpected<Refusal> refuse(std::string_view text) {
  return std::unexpected(Refusal{error_lines(kProgram, text), kExitFailure});
}

Outcome run(std::span<const std::string> words) {
  O options;
  auto rest = read_options<O>(kCommand, kRows, words, options);
  if (!rest) return std::unexpected(rest.error());
  if (!rest->empty()) return refuse(fmt::format("Unrecognized option: {}", rest->front()));
  if (options.lists_fields) {
    constexpr std::size_t kHelpWidth = 17;
    return write_out(bar_field_list<ShareField>(kFields, kHelpWidth)) ? Outcome{}
                                                                      : std::unexpected(Refusal{});
  }
  auto controller = Controller::connect();
  if (!controller) return refuse(controller.error().text());
  const std::string& cluster = controller->config().cluster_name;
  if (auto known = check_clusters(kProgram, options.clusters, cluster); !known) return known;
  auto reply = controller->ask_for<wire::SharesReply>(wire::SharesRequest{});
  if (!reply) return refuse(reply.error().text());
  auto columns = read_bar_columns<ShareField>(
      kProgram, options.format.empty() ? usual_format(options, reply->fair_tree) : options.format,
      find_field);
  if (!columns) return std::unexpected(columns.error());
  const BarStyle style{.form = options.form, .delimiter = "|"};
  NameLookup users;
  std::string out;
  if (options.header) append_bar_header<ShareField>(*columns, style, out);
  for (const ShareLine& line : lines_of(*reply, options, users.user(own_uid()), cluster))
    append_bar_line<ShareField>(*columns, style, line, out);
  return write_out(out) ? Outcome{} : std::unexpected(Refusal{});
}

}  // namespace

std::vector<OptionText> sshare_options() { return {kRows.begin(), kRows.end()}; }

int sshare_main(int argc, char** argv) {
  auto done = run(std::vector<std::string>(argv + 1, argv + argc));
  return done ? 0 : print(done.error());
}

}  // namespace muster::cli
