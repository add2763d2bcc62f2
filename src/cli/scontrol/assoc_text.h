// assoc_text: the records of scontrol show assoc_mgr as text, in Slurm's layout: "limit(used)".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "wire/limits.h"

namespace muster::cli {

struct AssocIds {
  struct Place {
    std::uint32_t id = 0, lft = 0, parent = 0;
  };
  std::map<AssociationKey, Place> associations;
  std::map<Text, std::uint32_t> qos;
};

// The sum of shares among the children of each account.
using LevelShares = std::map<Text, std::uint64_t>;
LevelShares level_shares(const wire::LimitsReply& reply);

struct AssocStyle {
  std::string cluster;
  std::vector<std::string> tres;  // those that are always listed
  AssocIds ids;
  LevelShares shares;
  bool one_line = false;
};

std::string user_text(const wire::UserRecord& user);
std::string association_text(const wire::AssociationUse& row, const AssocStyle& style);
std::string qos_text(const wire::QosUse& row, const AssocStyle& style);

}  // namespace muster::cli
