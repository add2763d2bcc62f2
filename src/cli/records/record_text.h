// What `scontrol show` prints for one record, exact to the character, because tools around Slurm
// parse it. Pure: records in, text out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/time.h"
#include "cli/records/record_context.h"
#include "cli/tables/ranges.h"
#include "wire/client_messages.h"

namespace muster::cli {

struct ShowStyle {
  bool one_line = false;
  bool details = false;  // -d
  RecordContext context;
};

std::string job_text(const wire::JobView& view, const ShowStyle& style);
std::string node_text(const wire::NodeView& view, const ShowStyle& style);
std::string partition_text(const wire::PartitionView& view, const ShowStyle& style);
// `suffix` distinguishes the commands of a step: "+0".
std::string step_text(const wire::JobView& view, const Step& step, std::string_view suffix,
                      const ShowStyle& style);
std::string config_text(const wire::ConfigReply& config, Time now);

// --- parts that several records use ---

// "(null)" for an empty text.
std::string_view or_null(std::string_view text);
// "gpu:v100:2(IDX:1-2)"
std::string gres_text(const std::vector<GresShare>& gres, bool with_indices);
// "gpu:v100:4(S:0-1)", with the close sockets
std::string gres_of_node(const NodeConfig& node);
// "gpu:v100:2(IDX:1-2)"; "gpu:v100:0(IDX:N/A)" if none is used
std::string used_gres_of_node(const Node& node);

// ",gres/gpu=2,gres/shard=4": counts by name, summed over types
template <class Gres>
std::string gres_sums(const std::vector<Gres>& gres) {
  std::vector<std::pair<Text, std::uint64_t>> sums;
  for (const Gres& g : gres) {
    auto same = std::ranges::find(sums, g.name, &std::pair<Text, std::uint64_t>::first);
    if (same == sums.end())
      sums.emplace_back(g.name, g.count);
    else
      same->second += g.count;
  }
  std::string out;
  for (const auto& [name, count] : sums)
    if (count > 0) out += fmt::format(",gres/{}={}", name.view(), count);
  return out;
}

// The lines of a record, on one line with -o.
class RecordLines {
 public:
  explicit RecordLines(const ShowStyle& style) : style_(style) {}
  void add(std::string_view line) {
    if (!text_.empty()) text_ += style_.one_line ? " " : "\n   ";
    text_ += line;
  }
  // An indented line; on one line it keeps its two blanks.
  void add_inner(const std::string& line) { add("  " + line); }
  std::string finish(bool trailing_separator) const {
    std::string end = style_.one_line ? "\n" : "\n\n";
    if (!trailing_separator) return text_ + end;
    return text_ + (style_.one_line ? " " : "\n   ") + end;
  }

 private:
  const ShowStyle& style_;
  std::string text_;
};

}  // namespace muster::cli
