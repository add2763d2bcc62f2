// sdiag: what slurmctld has done since its counts were last reset, for administrators and for the
// programs that collect metrics.
#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "cli/lib/command.h"
#include "cli/lib/controller.h"
#include "cli/lib/name_lookup.h"
#include "cli/lib/terminal.h"
#include "cli/options/command_options.h"
#include "cli/options/option_lists.h"
#include "cli/sdiag/report.h"
#include "cli/tables/lists.h"
#include "cli/tables/table_format.h"

namespace muster::cli {

namespace {

constexpr std::string_view kProgram = "sdiag";

enum class Order : std::uint8_t { by_count, by_id, by_time, by_mean };

struct DiagOptions {
  std::string clusters;
  bool reset = false, json = false;
  Order order = Order::by_count;
};
using O = DiagOptions;

template <Order Wanted>
Outcome order_by(O& options, Value) {
  options.order = Wanted;
  return {};
}

// clang-format off
constexpr auto kRows = std::to_array<CommandOption<O>>({
    {{{"all", 'a', none}, "", "show all counts, which is what happens anyway"}, flag<&O::reset, false>},
    {{{"cluster", 'M', required}, "name", "of this cluster", "SLURM_CLUSTERS"}, keep<&O::clusters>},
    {{{"clusters", 0, required}, "name", ""}, keep<&O::clusters>},
    {{{"help", 'h', none}, "", "show this list"}},
    {{{"json", 0, none}, "", "as JSON"}, flag<&O::json>},
    {{{"reset", 'r', none}, "", "set all counts to 0 (root and SlurmUser)"}, flag<&O::reset>},
    {{{"sort-by-id", 'i', none}, "", "list messages by type and user id"}, order_by<Order::by_id>},
    {{{"sort-by-time", 't', none}, "", "list messages by the time they took together"}, order_by<Order::by_time>},
    {{{"sort-by-time2", 'T', none}, "", "list messages by the time that each took"}, order_by<Order::by_mean>},
    {{{"usage", 0, none}, "", "show the options in short"}},
    {{{"version", 'V', none}, "", "show the version"}},
});
// clang-format on
constexpr CommandText kCommand{kProgram, "Shows what slurmctld has done, and how long it took.",
                               ""};

void put_in_order(std::vector<wire::MessageCount>& rows, Order order) {
  auto most_first = [&](auto key) { std::ranges::stable_sort(rows, std::ranges::greater{}, key); };
  using Row = wire::MessageCount;
  switch (order) {
    case Order::by_id:
      std::ranges::sort(rows, {}, &Row::id);
      break;
    case Order::by_count:
      return most_first(&Row::count);
    case Order::by_time:
      return most_first(&Row::time_us);
    case Order::by_mean:
      return most_first([](const Row& row) { return mean(row.time_us, row.count); });
  }
}

std::unexpected<Refusal> failed(std::string_view call, const Error& error) {
  return std::unexpected(Refusal{fmt::format("{}: {}\n", call, error.text()), kExitBadOption});
}

Outcome run(std::span<const std::string> words) {
  O options;
  auto rest = read_options<O>(kCommand, kRows, words, options);
  if (!rest) return std::unexpected(rest.error());
  const std::string_view call = options.reset ? "slurm_reset_statistics" : "slurm_get_statistics";
  auto controller = Controller::connect();
  if (!controller) return failed(call, controller.error());
  if (auto known = check_clusters(kProgram, options.clusters, controller->config().cluster_name);
      !known)
    return known;
  controller->announce_last();
  if (options.reset) {
    auto done = controller->ask_for<wire::Done>(wire::StatisticsRequest{.reset = true});
    if (!done) return failed(call, done.error());
    return write_out("Reset scheduling statistics\n") ? Outcome{} : std::unexpected(Refusal{});
  }
  auto told = controller->ask_for<wire::StatisticsReply>(wire::StatisticsRequest{});
  if (!told) return failed(call, told.error());
  for (auto* rows : {&told->by_type, &told->by_user}) put_in_order(*rows, options.order);
  const NameLookup names;
  const std::string text =
      options.json ? statistics_json(*told, names) : statistics_text(*told, names);
  return write_out(text) ? Outcome{} : std::unexpected(Refusal{});
}

}  // namespace

std::vector<OptionText> sdiag_options() { return {kRows.begin(), kRows.end()}; }

int sdiag_main(int argc, char** argv) {
  auto done = run(std::vector<std::string>(argv + 1, argv + argc));
  return done ? 0 : print(done.error());
}

}  // namespace muster::cli
