// values: how the texts of settings become members of rows.
#pragma once

#include <span>

#include "accounts/site.h"
#include "accounts/words.h"
#include "wire/accounts.h"

namespace muster::accounts {

// The QOS that the association may use: its own list, or that of the nearest one above.
std::vector<Text> usable_qos(const Associations& all, const Association& association);

// One of is_association_setting(), but RawUsage, which is no value of a row.
Outcome<> set_association_value(const Site& site, const Associations& all, Association& association,
                                const wire::Setting& setting);

Outcome<> set_qos_setting(const Site& site, Qos& qos, const wire::Setting& setting);

// A list of names as changed by =, += or -=: ascending, each once.
std::vector<Text> changed_list(std::vector<Text> list, const wire::Setting& setting);

Outcome<AdminLevel> parse_admin_level(const wire::Setting& setting);
std::string_view admin_level_name(AdminLevel level);

// RawUsage takes 0 alone.
Outcome<> check_raw_usage(wire::Entity entity, const wire::Setting& setting);

}  // namespace muster::accounts
