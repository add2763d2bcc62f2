// Facts in the format of the PMIx library: arrays of keys with typed values.
#include "step/pmix/info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "step/logic/process_mapping.h"

namespace muster::step {

pmix_value_t& PmixInfo::next(std::string_view key, pmix_data_type_t type) {
  pmix_info_t info{};
  std::memcpy(info.key, key.data(), std::min(key.size(), std::size_t{PMIX_MAX_KEYLEN}));
  info.value.type = type;
  infos_.push_back(info);
  return infos_.back().value;
}

void PmixInfo::add(std::string_view key, std::string text) {
  texts_.push_back(std::move(text));
  next(key, PMIX_STRING).data.string = texts_.back().data();
}
void PmixInfo::add(std::string_view key, std::uint32_t number) {
  next(key, PMIX_UINT32).data.uint32 = number;
}
void PmixInfo::add(std::string_view key, bool flag) { next(key, PMIX_BOOL).data.flag = flag; }
void PmixInfo::add_rank(std::string_view key, std::uint32_t rank) {
  next(key, PMIX_PROC_RANK).data.rank = rank;
}
void PmixInfo::add_local_rank(std::string_view key, std::uint16_t rank) {
  next(key, PMIX_UINT16).data.uint16 = rank;
}
void PmixInfo::add(std::string_view key, PmixInfo list) {
  lists_.push_back(std::move(list));
  arrays_.push_back(
      {.type = PMIX_INFO, .size = lists_.back().size(), .array = lists_.back().data()});
  next(key, PMIX_DATA_ARRAY).data.darray = &arrays_.back();
}

namespace {

Result<std::string> packed(decltype(&::PMIx_generate_regex) pack, const std::string& text) {
  char* result = nullptr;
  if (pack(text.c_str(), &result) != PMIX_SUCCESS || !result)
    return fail("PMIx cannot describe the step's nodes");
  std::string copy = result;
  std::free(result);
  return copy;
}

PmixInfo describe_rank(const wire::NodeRanks& place, std::uint32_t node, std::uint16_t local) {
  PmixInfo info;
  const std::uint32_t rank = place.ranks[local];
  info.add_rank(PMIX_RANK, rank);
  info.add(PMIX_APPNUM, std::uint32_t{0});
  info.add_rank(PMIX_GLOBAL_RANK, rank);
  info.add_rank(PMIX_APP_RANK, rank);
  info.add_local_rank(PMIX_LOCAL_RANK, local);
  info.add_local_rank(PMIX_NODE_RANK, local);
  info.add(PMIX_NODEID, node);
  info.add(PMIX_HOSTNAME, place.node.str());
  return info;
}

}  // namespace

Result<PmixInfo> describe_step(const PmixLibrary& pmix, const StepSetup& setup,
                               const std::string& directory) {
  const wire::StepLaunch& launch = setup.launch;
  std::vector<std::string> names, ranks;
  for (const wire::NodeRanks& place : launch.layout) {
    names.push_back(place.node.str());
    ranks.push_back(fmt::format("{}", fmt::join(place.ranks, ",")));
  }
  auto node_map = packed(pmix.generate_regex, fmt::format("{}", fmt::join(names, ",")));
  auto rank_map = packed(pmix.generate_ppn, fmt::format("{}", fmt::join(ranks, ";")));
  if (!node_map) return std::unexpected(node_map.error());
  if (!rank_map) return std::unexpected(rank_map.error());

  const auto local = static_cast<std::uint32_t>(launch.ranks.size());
  PmixInfo info;
  info.add(PMIX_UNIV_SIZE, launch.num_tasks);
  info.add(PMIX_JOB_SIZE, launch.num_tasks);
  info.add(PMIX_MAX_PROCS, launch.num_tasks);
  info.add(PMIX_APP_SIZE, launch.num_tasks);
  info.add(PMIX_JOB_NUM_APPS, std::uint32_t{1});
  info.add(PMIX_NUM_NODES, static_cast<std::uint32_t>(launch.layout.size()));
  info.add(PMIX_NODE_MAP, std::move(*node_map));
  info.add(PMIX_PROC_MAP, std::move(*rank_map));
  info.add(PMIX_ANL_MAP, process_mapping(launch.layout));
  info.add(PMIX_NODEID, launch.node_index);
  info.add(PMIX_LOCAL_SIZE, local);
  info.add(PMIX_NODE_SIZE, local);
  info.add(PMIX_LOCAL_PEERS, fmt::format("{}", fmt::join(launch.ranks, ",")));
  info.add_rank(PMIX_LOCALLDR, launch.ranks.front());
  info.add(PMIX_JOBID, fmt::format("{}.{}", launch.ref.job.value, launch.ref.step.value));
  info.add(PMIX_TMPDIR, directory);
  info.add(PMIX_NSDIR, directory);
  info.add(PMIX_TDIR_RMCLEAN, true);
  for (std::uint32_t node = 0; node < launch.layout.size(); ++node) {
    const wire::NodeRanks& place = launch.layout[node];
    for (std::size_t i = 0; i < place.ranks.size(); ++i)
      info.add(PMIX_PROC_DATA, describe_rank(place, node, static_cast<std::uint16_t>(i)));
  }
  return info;
}

}  // namespace muster::step
