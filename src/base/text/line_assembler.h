// LineAssembler: joins the output of several tasks for one terminal or file. It passes on whole
// lines, with labels if requested (srun --label).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace muster {

struct OutputStyle {
  bool label = false;
  std::uint32_t num_tasks = 1;  // labels are as wide as the last rank
  bool unbuffered = false;
};

class LineAssembler {
 public:
  explicit LineAssembler(OutputStyle style);

  // Adds these bytes, and returns what can be written now.
  std::string take(std::uint32_t rank, bool is_stderr, std::string bytes);
  // At the end of a stream: returns the last line if it has no newline.
  std::string finish(std::uint32_t rank, bool is_stderr);

 private:
  std::string labelled(std::uint32_t rank, std::string lines) const;

  OutputStyle style_;
  int width_ = 1;
  std::map<std::pair<std::uint32_t, bool>, std::string> partial_;
};

}  // namespace muster
