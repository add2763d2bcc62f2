// Keys and values for PMIx; the list owns what they point to.
#pragma once

#include <pmix_common.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "step/pmix/library.h"
#include "wire/step_setup.h"

namespace muster::step {

class PmixInfo {
 public:
  void add(std::string_view key, std::string text);
  void add(std::string_view key, std::uint32_t number);
  void add(std::string_view key, bool flag);
  void add_rank(std::string_view key, std::uint32_t rank);
  void add_local_rank(std::string_view key, std::uint16_t rank);
  void add(std::string_view key, PmixInfo list);

  pmix_info_t* data() { return infos_.data(); }
  std::size_t size() const { return infos_.size(); }

 private:
  pmix_value_t& next(std::string_view key, pmix_data_type_t type);

  std::vector<pmix_info_t> infos_;
  std::deque<std::string> texts_;
  std::deque<PmixInfo> lists_;
  std::deque<pmix_data_array_t> arrays_;
};

// The facts about its step that a task can ask for: sizes, the nodes of ranks, and the numbers of
// each rank.
Result<PmixInfo> describe_step(const PmixLibrary& pmix, const StepSetup& setup,
                               const std::string& directory);

}  // namespace muster::step
