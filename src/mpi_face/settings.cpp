// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/settings.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace quadrille::mpi_face {
namespace {

std::string_view value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

Settings read() {
  Settings settings;
  const std::string_view mode = value_of("QUADRILLE");
  settings.is_off = mode == "off";
  settings.only_observes = mode == "profile";
  if (!mode.empty() && mode != "off" && mode != "on" && mode != "profile")
    remark(fmt::format("QUADRILLE={} is unknown and ignored; it may be on, off or profile", mode));
  const std::string report(value_of("QUADRILLE_REPORT"));
  settings.report = parse_report_wish(report);
  if (settings.report && !settings.report->file.empty())  // made absolute, because the program may change its working directory
    settings.report->file = std::filesystem::absolute(settings.report->file).string();
  if (!report.empty() && report != "off" && !settings.report)
    remark(fmt::format("QUADRILLE_REPORT={} is unknown and ignored; it may be summary, full or summary:FILE", report));
  if (settings.only_observes && report.empty()) settings.report.emplace();
  settings.admits_anywhere = value_of("QUADRILLE_ADMIT") == "anywhere";
  settings.admits_at_once = settings.admits_anywhere || value_of("QUADRILLE_ADMIT") == "1";
  return settings;
}

}  // namespace

const Settings& Settings::get() {
  static const Settings settings = read();
  return settings;
}

void remark(const std::string& sentence) { std::fprintf(stderr, "quadrille: %s\n", sentence.c_str()); }

}  // namespace quadrille::mpi_face
