// Messages between programs of different versions stay readable.
#include "golden.h"

#include <gtest/gtest.h>

#include "model/accounts/accounting_record.h"
#include "model/accounts/site_rows.h"
#include "wire/client_messages.h"
#include "wire/dbd.h"
#include "wire/node_messages.h"
#include "wire/step_messages.h"
#include "wire/step_setup.h"

namespace muster::wire {
namespace {

using namespace muster::test;

TEST(Golden, EveryRequestIsWrittenAsItWas) {
  expect_golden<Request>("requests", [](Request request) {
    return RequestFrame{.id = 7, .request = std::move(request), .closes_after_reply = true};
  });
}

TEST(Golden, EveryAnswerIsWrittenAsItWas) {
  expect_golden<Answer>("answers", [](Answer answer) {
    return ReplyFrame{.id = 7, .more = true, .answer = std::move(answer)};
  });
}

TEST(Golden, EveryOrderIsWrittenAsItWas) {
  expect_golden<Order>("orders", [](Order order) {
    return OrderBatch{.epoch = Epoch{7}, .orders = {std::move(order)}};
  });
}

TEST(Golden, EveryReportIsWrittenAsItWas) {
  expect_golden<Report>("reports",
                        [](Report report) { return ReportBatch{.reports = {std::move(report)}}; });
}

TEST(Golden, EveryMessageOfAStepIsWrittenAsItWas) {
  expect_golden<FromStep>("from_step", [](FromStep message) {
    return FromStepFrame{.message = std::move(message), .place = 7};
  });
}

TEST(Golden, EveryMessageToAStepIsWrittenAsItWas) {
  expect_golden<ToStep>("to_step", [](ToStep message) {
    return ToStepFrame{.message = std::move(message), .place = 7};
  });
}

TEST(Golden, EveryCallOfANodeIsWrittenAsItWas) {
  expect_golden<decltype(NodeCall::call)>("node_calls", [](decltype(NodeCall::call) call) {
    return NodeCall{.call = std::move(call)};
  });
}

TEST(Golden, EveryReportToSlurmdbdIsWrittenAsItWas) {
  expect_golden<ControllerReport>("controller_reports", [](ControllerReport report) {
    return ControllerFrame{std::move(report)};
  });
}

TEST(Golden, EveryOrderOfSlurmdbdIsWrittenAsItWas) {
  expect_golden<DatabaseOrder>("database_orders",
                               [](DatabaseOrder order) { return DatabaseFrame{std::move(order)}; });
}

TEST(Golden, EveryRowOfASiteIsWrittenAsItWas) {
  expect_golden<SiteRow>("site_rows", [](SiteRow row) { return SiteRowEntry{std::move(row)}; });
}

TEST(Golden, TheRestIsWrittenAsItWas) {
  expect_golden_structs<FileGrant, FilePiece, FileStored, AccountingRow, StepSetup, TransactionRow>(
      "other_messages");
}

}  // namespace
}  // namespace muster::wire
