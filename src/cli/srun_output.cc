#include "cli/srun_output.h"

#include <fmt/format.h>

#include "base/strings.h"

namespace muster::cli {

namespace {
// A line longer than this is passed on in pieces rather than kept for ever.
constexpr std::size_t kLongestLine = 64u << 10;
}  // namespace

LineAssembler::LineAssembler(OutputStyle style) : style_(style) {
  std::uint32_t last = style.num_tasks > 0 ? style.num_tasks - 1 : 0;
  width_ = static_cast<int>(std::to_string(last).size());
}

std::string LineAssembler::labelled(std::uint32_t rank, std::string_view lines) const {
  if (!style_.label) return std::string(lines);
  std::string out;
  if (lines.ends_with('\n')) lines.remove_suffix(1);
  for (std::string_view line : split(lines, '\n'))
    out += fmt::format("{:>{}}: {}\n", rank, width_, line);
  return out;
}

std::string LineAssembler::take(std::uint32_t rank, bool is_stderr, std::string_view bytes) {
  if (bytes.empty()) return {};
  if (style_.unbuffered) return labelled(rank, bytes);
  std::string& partial = partial_[{rank, is_stderr}];
  auto end = bytes.rfind('\n');
  if (end == bytes.npos) {
    partial += bytes;
    if (partial.size() < kLongestLine) return {};
    std::string line = labelled(rank, partial);
    partial.clear();
    return line;
  }
  std::string lines = std::exchange(partial, std::string(bytes.substr(end + 1)));
  lines += bytes.substr(0, end + 1);
  return labelled(rank, lines);
}

std::string LineAssembler::finish(std::uint32_t rank, bool is_stderr) {
  auto found = partial_.find({rank, is_stderr});
  if (found == partial_.end()) return {};
  std::string rest = std::move(found->second);
  partial_.erase(found);
  return rest.empty() ? rest : labelled(rank, rest);
}

}  // namespace muster::cli
