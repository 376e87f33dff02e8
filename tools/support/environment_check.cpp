// SPDX-License-Identifier: BSD-3-Clause
#include "support/environment_check.hpp"

#include "execute/executions/plan_memory.hpp"
#include "foundation/environment.hpp"
#include "mpi_face/report/report_folder.hpp"
#include "mpi_face/rules.hpp"
#include "recording/record_wish.hpp"
#include "support/refuse.hpp"
#include "tune/choosing/knowledge.hpp"

namespace quadrille::command {

void check_environment() {
  if (const auto faults = environment_faults(); !faults.empty()) refuse(faults.front());
  // The readers of these variables know the form of their values.
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
