// What tasks print, on its way to a terminal or file of several of them: whole lines, labelled
// where asked for.
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

  // What may be written now that these bytes have come.
  std::string take(std::uint32_t rank, bool is_stderr, std::string bytes);
  // The end of a stream: the line that was never ended.
  std::string finish(std::uint32_t rank, bool is_stderr);

 private:
  std::string labelled(std::uint32_t rank, std::string lines) const;

  OutputStyle style_;
  int width_ = 1;
  std::map<std::pair<std::uint32_t, bool>, std::string> partial_;
};

}  // namespace muster
