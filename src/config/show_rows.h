// Rows of `scontrol show config` that are not simply the value of their key.
#pragma once

#include <string>

#include "config/keys/keys.h"
#include "config/keys/rows.h"
#include "config/slurm_conf.h"

namespace muster::config {

// Conditions: factors and weights are shown only if priorities are computed from them.
bool with_multifactor(const SlurmConf& conf);
bool with_consumable_resources(const SlurmConf& conf);
bool is_given(const SlurmConf& conf, std::string_view key);

// Texts.
std::string enforced(const SlurmConf& conf);
std::string accounting_port(const SlurmConf& conf);
std::string accounted_tres(const SlurmConf& conf);
std::string accounting_user(const SlurmConf& conf);
std::string part_limits(const SlurmConf& conf);
std::string job_defaults(const SlurmConf& conf);
std::string max_dbd_messages(const SlurmConf& conf);
std::string max_node_count(const SlurmConf& conf);
std::string propagated_limits(const SlurmConf& conf);
std::string path_of(const SlurmConf& conf);

inline constexpr Show kHidden{.hidden = true};
inline constexpr const Show* hidden = &kHidden;
template <std::string (*text)(const SlurmConf&)>
inline constexpr Show kAs{.text = text};
template <bool (*when)(const SlurmConf&), Literal unset>
inline constexpr Show kOnly{.when = when, .unset = unset.view()};
template <Literal text>
inline constexpr Show kUnset{.unset = text.view()};
template <Literal key, bool given>
inline constexpr Show kWith{
    .when = [](const SlurmConf& conf) { return is_given(conf, key.view()) == given; }};

template <std::string (*text)(const SlurmConf&)>
inline constexpr const Show* as = &kAs<text>;  // prints this text
template <bool (*when)(const SlurmConf&), Literal unset = "(null)">
inline constexpr const Show* only = &kOnly<when, unset>;  // prints the row only if this is true
template <Literal text>
inline constexpr const Show* unset = &kUnset<text>;  // prints this if the key has no value
// Prints the row only if that other key is given.
template <Literal key>
inline constexpr const Show* with = &kWith<key, true>;
template <Literal key>
inline constexpr const Show* without = &kWith<key, false>;

}  // namespace muster::config
