// Joins pieces of output to whole lines and labels them.
#include "base/text/line_assembler.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/text/strings.h"

namespace muster {

namespace {
// A longer line is passed on in pieces, so that memory stays bounded.
constexpr std::size_t kLongestLine = 64u << 10;

std::size_t size_of_whole_lines(const std::string& bytes) {
  const void* last = memrchr(bytes.data(), '\n', bytes.size());
  return last ? static_cast<std::size_t>(static_cast<const char*>(last) - bytes.data()) + 1 : 0;
}
}  // namespace

LineAssembler::LineAssembler(OutputStyle style) : style_(style) {
  std::uint32_t last = style.num_tasks > 0 ? style.num_tasks - 1 : 0;
  width_ = static_cast<int>(std::to_string(last).size());
}

std::string LineAssembler::labelled(std::uint32_t rank, std::string lines) const {
  if (!style_.label) return lines;
  std::string out;
  if (lines.ends_with('\n')) lines.pop_back();
  for (std::string_view line : split(lines, '\n'))
    out += fmt::format("{:>{}}: {}\n", rank, width_, line);
  return out;
}

// Much output passes here, so whole lines without labels are passed on without copying.
std::string LineAssembler::take(std::uint32_t rank, bool is_stderr, std::string bytes) {
  if (bytes.empty()) return {};
  if (style_.unbuffered) return labelled(rank, std::move(bytes));
  std::string& partial = partial_[{rank, is_stderr}];
  const std::size_t whole = size_of_whole_lines(bytes);
  if (whole == 0) {
    if (partial.empty())
      partial = std::move(bytes);
    else
      partial += bytes;
    return partial.size() < kLongestLine ? std::string()
                                         : labelled(rank, std::exchange(partial, {}));
  }
  std::string rest = bytes.substr(whole);
  bytes.resize(whole);
  if (!partial.empty()) bytes.insert(0, partial);
  partial = std::move(rest);
  return labelled(rank, std::move(bytes));
}

std::string LineAssembler::finish(std::uint32_t rank, bool is_stderr) {
  auto found = partial_.find({rank, is_stderr});
  if (found == partial_.end()) return {};
  std::string rest = std::move(found->second);
  partial_.erase(found);
  return rest.empty() ? rest : labelled(rank, std::move(rest));
}

}  // namespace muster
