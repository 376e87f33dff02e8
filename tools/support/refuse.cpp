// SPDX-License-Identifier: BSD-3-Clause
#include "support/refuse.hpp"

#include <fmt/format.h>

#include "execute/executions/plan_memory.hpp"
#include "foundation/environment.hpp"
#include "foundation/text/wording.hpp"
#include "mpi_face/report/report_folder.hpp"
#include "mpi_face/rules.hpp"
#include "quadrille/error.hpp"
#include "recording/record_wish.hpp"
#include "tune/choosing/knowledge.hpp"

namespace quadrille::command {

void refuse(const std::string& sentence) { throw Error(ErrorCode::misuse, sentence); }

void refuse_unknown(std::string_view what, std::string_view word, const std::vector<std::string>& known) {
  refuse(fmt::format("there is no {} '{}'; {}", what, word, guess_or_list(word, known)));
}

void check_environment() {
  if (const auto faults = environment_faults(); !faults.empty()) refuse(faults.front());
  // These variables' readers check the form of their values.
  PlanMemory::bound_of_environment();
  machine_of_environment();
  const std::string report = environment_value("QUADRILLE_REPORT");
  if (!report.empty() && report != "off" && !mpi_face::parse_report_wish(report))
    refuse(refusal_of_value("QUADRILLE_REPORT", report));
  const std::string record = environment_value("QUADRILLE_RECORD");
  if (!record.empty() && !recording::parse_record_wish(record)) refuse(refusal_of_value("QUADRILLE_RECORD", record));
  const mpi_face::ChoiceRules rules = mpi_face::parse_rules(environment_value("QUADRILLE_CHOOSE"));
  if (!rules.refused.empty()) refuse("QUADRILLE_CHOOSE: " + rules.refused.front());
  mpi_face::parse_tune_share(environment_value("QUADRILLE_TUNE"));
}

}  // namespace quadrille::command
