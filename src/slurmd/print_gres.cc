// See print_gres.h. The lines are those of Slurm, on standard error as there.
#include "slurmd/print_gres.h"

#include <iterator>

#include <fmt/format.h>

namespace muster {

namespace {

// How Slurm numbers a kind: the sum of its letters, each a byte further to the left.
std::uint32_t number_of_kind(std::string_view name) {
  std::uint32_t number = 0;
  int shift = 0;
  for (const char c : name) {
    number += static_cast<std::uint32_t>(static_cast<unsigned char>(c)) << shift;
    shift = (shift + 8) % 32;
  }
  return number;
}

std::string_view or_null(std::string_view text) { return text.empty() ? "(null)" : text; }

struct Printer {
  std::string prefix;
  std::uint32_t cores;
  std::string text = {};

  void line(const GresPool& pool, std::uint64_t count, const std::string& rest) {
    fmt::format_to(std::back_inserter(text), "{}Gres Name={} Type={} Count={}{}\n", prefix,
                   pool.name.view(), or_null(pool.type), count, rest);
  }

  void device(const GresPool& pool, std::size_t at, std::uint32_t index) {
    std::string rest = fmt::format(" Index={} ID={}", index, number_of_kind(pool.name));
    if (at < pool.files.size()) rest += " File=" + pool.files[at].str();
    if (at < pool.cores.size() && !pool.cores[at].empty())
      rest += fmt::format(" Cores={} CoreCnt={}", pool.cores[at].text(), cores);
    line(pool, 1, rest);
  }

  void print(const GresPool& pool) {
    const std::string id = fmt::format(" ID={}", number_of_kind(pool.name));
    if (pool.is_part_of_gpus()) {
      for (std::size_t gpu = 0; gpu < pool.per_device.size(); ++gpu)
        line(pool, pool.per_device[gpu], fmt::format(" Index={}{}", gpu, id));
    } else if (pool.files.empty()) {
      line(pool, pool.count, id);
    } else {
      std::size_t at = 0;
      pool.indices.each([&](std::uint32_t index) { device(pool, at++, index); });
    }
  }
};

}  // namespace

std::string gres_text(const std::vector<GresPool>& pools, const std::string& node_name,
                      std::uint32_t cores) {
  Printer printer{.prefix = "slurmd-" + node_name + ": ", .cores = cores};
  for (const GresPool& pool : pools) printer.print(pool);
  return printer.text;
}

}  // namespace muster
