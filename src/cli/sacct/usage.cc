// Computes and formats sacct's columns about a step's usage.
#include "cli/sacct/usage.h"

#include <fmt/format.h>

#include "base/text/duration.h"

namespace muster::cli {
namespace {

using Put = void (*)(const AcctLine&, std::uint64_t, std::string&);

struct InputTres {
  std::string_view name;
  Measure Usage::* measure;
  Put put;
};
// In the order of the column: by name.
constexpr InputTres kInput[] = {
    {"cpu", &Usage::cpu_us, put_cpu_amount},
    {"fs/disk", &Usage::read_bytes, put_count},
    {"gres/gpumem", &Usage::gpu_memory_kib, put_kib_amount},
    {"gres/gpuutil", &Usage::gpu_percent, put_count},
    {"mem", &Usage::rss_kib, put_kib_amount},
    {"pages", &Usage::pages, put_count},
    {"vmem", &Usage::vmem_kib, put_kib_amount},
};

// "cpu=...,energy=...,fs/disk=...": an empty `energy` is left out, and so is everything that was
// never measured, such as GPUs of a step without any.
template <class Append>
std::string input_list(const AcctLine& line, std::string_view energy, Append&& append) {
  std::string out;
  if (!has_usage(line)) return out;
  for (const InputTres& tres : kInput) {
    const Measure& measure = line.step->usage.*tres.measure;
    if (measure.tasks == 0 && tres.name.starts_with("gres/")) continue;
    if (!out.empty()) out += ',';
    out += fmt::format("{}=", tres.name);
    append(tres, measure, out);
    if (tres.name == "cpu" && !energy.empty()) out += fmt::format(",energy={}", energy);
  }
  return out;
}

std::string first_node(const AcctLine& line) {
  return line.step ? std::string(usage_node(line, line.step->usage.cpu_us.max_node)) : "";
}

}  // namespace

void put_cpu_amount(const AcctLine&, std::uint64_t microseconds, std::string& out) {
  out += format_elapsed(Seconds{static_cast<std::int64_t>(microseconds / 1'000'000)});
}
// --noconvert: in bytes.
void put_kib_amount(const AcctLine& line, std::uint64_t kib, std::string& out) {
  const UnitStyle& units = line.context->units;
  const bool is_plain = !units.convert && units.unit == 0;
  out += is_plain ? std::to_string(kib * 1024) : amount_text(kib, 'K', units);
}
void put_disk_amount(const AcctLine&, std::uint64_t bytes, std::string& out) {
  out += bytes == 0 ? "0" : fmt::format("{:.2f}M", static_cast<double>(bytes) / (1024 * 1024));
}
void put_count(const AcctLine&, std::uint64_t count, std::string& out) {
  out += std::to_string(count);
}

bool has_usage(const AcctLine& line) { return line.step && line.step->usage.rss_kib.max > 0; }

std::string_view usage_node(const AcctLine& line, NodeId node) {
  auto name = line.step->usage_nodes.find(node);
  return name == line.step->usage_nodes.end() ? std::string_view() : name->second.view();
}

std::string usage_in_text(const AcctLine& line, MeasureValue value) {
  return input_list(line, "0",
                    [&](const InputTres& tres, const Measure& measure, std::string& out) {
                      tres.put(line, value(measure), out);
                    });
}
std::string usage_in_nodes(const AcctLine& line, MeasureNode node) {
  return input_list(line, first_node(line),
                    [&](const InputTres&, const Measure& measure, std::string& out) {
                      out += usage_node(line, node(measure));
                    });
}
std::string usage_in_tasks(const AcctLine& line, MeasureTask task) {
  return input_list(line, "", [&](const InputTres&, const Measure& measure, std::string& out) {
    out += std::to_string(task(measure));
  });
}

std::string usage_out_text(const AcctLine& line, MeasureValue value) {
  if (!has_usage(line)) return {};
  const Usage& usage = line.step->usage;
  return fmt::format("energy={},fs/disk={}", value(usage.energy_j), value(usage.written_bytes));
}
std::string usage_out_nodes(const AcctLine& line, MeasureNode node) {
  if (!has_usage(line)) return {};
  return fmt::format("energy={},fs/disk={}", first_node(line),
                     usage_node(line, node(line.step->usage.written_bytes)));
}
std::string usage_out_tasks(const AcctLine& line, MeasureTask task) {
  if (!has_usage(line)) return {};
  return fmt::format("fs/disk={}", task(line.step->usage.written_bytes));
}

}  // namespace muster::cli
