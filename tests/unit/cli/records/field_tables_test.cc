// On every surface, the name of a field belongs to only one row of its record's table.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/text/strings.h"
#include "cli/records/job_row.h"
#include "cli/records/node_row.h"
#include "cli/records/step_row.h"
#include "cli/sacct/row.h"

namespace muster::cli {
namespace {

class Names {
 public:
  void add(std::string_view surface, std::string_view name) {
    if (name.empty()) return;
    EXPECT_TRUE(known_.insert(std::string(surface) + " " + std::string(name)).second)
        << surface << " has " << name << " twice";
  }

 private:
  std::set<std::string> known_;
};

template <class Record>
void expect_names_once(std::span<const Field<Record>> table) {
  Names names;
  for (const Field<Record>& field : table) {
    const char letter[] = {field.listed.letter, '\0'};
    names.add("--json", field.json.key);
    names.add("-o", letter);
    names.add("-O", lower(field.listed.name));
    names.add("scontrol show", field.shown.label);
    EXPECT_TRUE(field.get) << field.listed.name << field.shown.label << field.json.key;
  }
}

TEST(FieldTables, HaveEachNameOnce) {
  expect_names_once(job_fields());
  expect_names_once(step_fields());
  expect_names_once(node_fields());
  expect_names_once(partition_fields());
  expect_names_once(acct_table());
}

TEST(FieldTables, OfNodesAndPartitionsShareNoColumn) {
  Names names;
  for (const Field<NodeGroup>& field : node_columns()) {
    const char letter[] = {field.listed.letter, '\0'};
    names.add("-o", letter);
    names.add("-O", lower(field.listed.name));
  }
}

TEST(FieldTables, OfAccountingHaveEachKeyOfAStepOnce) {
  Names names;
  for (const Field<AcctLine>& field : acct_table()) names.add("--json", field.how.mark.step.key);
}

}  // namespace
}  // namespace muster::cli
