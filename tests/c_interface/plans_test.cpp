// SPDX-License-Identifier: BSD-3-Clause
// The options of plans in C know every executor of the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "execute/executors.hpp"
#include "quadrille/c.h"

namespace quadrille {
namespace {

// Plans by the executor of this name, and returns the text of the error; empty if there is none.
std::string error_of_plan_by(const std::string& executor) {
  struct Asked {
    const char* executor;
    std::string error;
  } asked{executor.c_str(), ""};
  const auto body = [](quadrille_group ranks, void* context) {
    auto& [name, error] = *static_cast<Asked*>(context);
    quadrille_plan_options options{};
    options.executor = name;
    options.algorithm = "direct";
    quadrille_plan plan{};
    const int code = quadrille_plan_alltoall(ranks, 1, 4, &options, &plan);
    if (code != QUADRILLE_SUCCESS) {
      error = quadrille_error_text();
      return 0;
    }
    return quadrille_plan_free(&plan);
  };
  EXPECT_EQ(quadrille_run_threads(1, body, &asked), 0);
  return asked.error;
}

TEST(CPlanOptions, KnowEveryExecutor) {
  for (const ExecutorRow& row : all_executors())
    EXPECT_THAT(error_of_plan_by(std::string(row.name)), ::testing::Not(::testing::StartsWith("there is no executor"))) << row.name;
  const std::string error = error_of_plan_by("none");
  EXPECT_THAT(error, ::testing::StartsWith("there is no executor 'none'; choose automatic, "));
  for (const ExecutorRow& row : all_executors()) EXPECT_THAT(error, ::testing::HasSubstr(std::string(row.name))) << error;
}

}  // namespace
}  // namespace quadrille
