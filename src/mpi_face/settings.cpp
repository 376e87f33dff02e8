// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/settings.hpp"

#include <cstdio>
#include <filesystem>

#include "execute/executions/plan_memory.hpp"
#include "foundation/environment.hpp"
#include "foundation/mpi_libraries.hpp"
#include "quadrille/error.hpp"

namespace quadrille::mpi_face {
namespace {

// If the library refuses a value, it makes no group of ranks and no plans, so the drop-in passes every call on.
void remark_on_refused_values() {
  if (!is_first_launched()) return;
  for (const auto check :
       {+[] { checked_environment_value("QUADRILLE_NODE_SIZES"); }, +[] { PlanMemory::bound_of_environment(); }}) {
    try {
      check();
    } catch (const Error& error) {
      remark(std::string(error.what()) + "; until it is corrected, the MPI library runs every call");
    }
  }
}

Settings read() {
  warn_of_environment();
  remark_on_refused_values();
  Settings settings;
  const std::string mode = tolerated_environment_value("QUADRILLE");
  settings.is_off = mode == "off";
  settings.only_observes = mode == "profile";
  const std::string report = environment_value("QUADRILLE_REPORT");
  settings.report = parse_report_wish(report);
  if (settings.report && !settings.report->file.empty())  // made absolute, because the program may change its working directory
    settings.report->file = std::filesystem::absolute(settings.report->file).string();
  if (!report.empty() && report != "off" && !settings.report && is_first_launched())
    remark(refusal_of_value("QUADRILLE_REPORT", report) + "; it is ignored");
  if (settings.only_observes && report.empty()) settings.report.emplace();
  const std::string record = environment_value("QUADRILLE_RECORD");
  settings.record = recording::parse_record_wish(record);
  if (settings.record) {
    settings.record->folder = std::filesystem::absolute(settings.record->folder).string();
    settings.only_observes = true;
    settings.report.reset();
  } else if (!record.empty() && is_first_launched()) {
    remark(refusal_of_value("QUADRILLE_RECORD", record) + "; it is ignored");
  }
  settings.watch = parse_watch_wish(environment_value("QUADRILLE_WATCH"));
  if (settings.record || settings.is_off) settings.watch.reset();
  const std::string admit = tolerated_environment_value("QUADRILLE_ADMIT");
  settings.admits_anywhere = admit == "anywhere";
  settings.admits_at_once = settings.admits_anywhere || admit == "1";
  settings.learns = !settings.is_off && !settings.only_observes && !settings.admits_at_once;
  return settings;
}

}  // namespace

const Settings& Settings::get() {
  static const Settings settings = read();
  return settings;
}

void remark(const std::string& sentence) { std::fprintf(stderr, "quadrille: %s\n", sentence.c_str()); }

}  // namespace quadrille::mpi_face
