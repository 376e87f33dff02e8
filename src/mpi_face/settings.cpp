// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/settings.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace quadrille::mpi_face {
namespace {

std::string_view value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

void refuse(std::string_view variable, std::string_view value, std::string_view allowed) {
  remark(fmt::format("{}={} means nothing here and is left out; it may be {}", variable, value, allowed));
}

void read_mode(Settings& settings) {
  const std::string_view value = value_of("QUADRILLE");
  if (value == "off")
    settings.is_off = true;
  else if (value == "observe")
    settings.only_observes = true;
  else if (!value.empty() && value != "on")
    refuse("QUADRILLE", value, "on, off or observe");
}

void read_report(Settings& settings) {
  const std::string_view value = value_of("QUADRILLE_REPORT");
  const std::string_view kind = value.substr(0, value.find(':'));
  if (kind == "summary")
    settings.report = Settings::Report::summary;
  else if (kind == "full")
    settings.report = Settings::Report::full;
  else if (!value.empty() && value != "off")
    return refuse("QUADRILLE_REPORT", value, "off, summary, full, summary:FILE or full:FILE");
  if (kind.size() < value.size()) settings.report_file = value.substr(kind.size() + 1);
}

void read_tune(Settings& settings) {
  const std::string_view value = value_of("QUADRILLE_TUNE");
  if (value.empty() || value == "off") return;
  settings.tunes = value == "run" || value.substr(0, 4) == "run:";
  if (settings.tunes && value.size() > 4) {
    const std::string share(value.substr(4));
    char* end = nullptr;
    const double read = std::strtod(share.c_str(), &end);
    if (*end == '\0' && read > 0 && read <= 1)
      settings.tune_share = read;
    else
      settings.tunes = false;
  }
  if (!settings.tunes) refuse("QUADRILLE_TUNE", value, "off, run or run:SHARE, such as run:0.02 for 2 % of the time");
}

Settings read() {
  Settings settings;
  read_mode(settings);
  read_report(settings);
  read_tune(settings);
  settings.choose = value_of("QUADRILLE_CHOOSE");
  settings.admits_at_once = value_of("QUADRILLE_ADMIT") == "1";
  return settings;
}

}  // namespace

const Settings& Settings::get() {
  static const Settings settings = read();
  return settings;
}

void remark(const std::string& sentence) { std::fprintf(stderr, "quadrille: %s\n", sentence.c_str()); }

}  // namespace quadrille::mpi_face
