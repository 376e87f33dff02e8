// SPDX-License-Identifier: BSD-3-Clause
// Runs quadrille reproduce: makes the tables and figures of papers again from our schedules, with a verdict on each.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "draw/plot.hpp"
#include "on_demand/exhibit_makers.hpp"
#include "on_demand/reproduce_report.hpp"
#include "options/arguments.hpp"
#include "quadrille/error.hpp"
#include "subcommands/on_demand.hpp"
#include "support/exit_codes.hpp"
#include "support/output.hpp"
#include "support/talk.hpp"

namespace quadrille::command {
namespace {

std::vector<const papers::Exhibit*> chosen(const std::vector<std::string>& ids) {
  std::vector<std::string> known{"all"};
  for (const papers::Exhibit* exhibit : papers::all_exhibits()) known.emplace_back(exhibit->id);
  std::vector<const papers::Exhibit*> exhibits;
  for (const std::string& id : ids) {
    const auto all = papers::all_exhibits();
    if (id == "all")
      exhibits.insert(exhibits.end(), all.begin(), all.end());
    else if (const papers::Exhibit* exhibit = papers::find_exhibit(id))
      exhibits.push_back(exhibit);
    else
      refuse_unknown("exhibit", id, known);
  }
  return exhibits;
}

void make_folder(const std::string& folder) {
  if (folder.empty()) refuse("--output needs the name of a folder");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && !std::filesystem::is_directory(folder)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) throw Error(ErrorCode::environment, fmt::format("cannot make the folder '{}': {}", folder, error.message()));
}

void write(const Made& made, const std::filesystem::path& folder) {
  const auto& [exhibit, reproduction] = made;
  for (std::size_t i = 0; i < reproduction.sheets.size(); ++i)
    Output((folder / csv_name(made, i)).string()).finish(csv_of(reproduction.sheets[i]));
  if (reproduction.panels.empty()) return;
  const std::string note = "Verdict: " + papers::verdict_of(reproduction).headline;
  Output((folder / fmt::format("{}.svg", exhibit->id)).string())
      .finish(draw_plot(std::string(exhibit->title), note, reproduction.sheets, reproduction.panels));
}

}  // namespace

int run_reproduce(const ReproduceArguments& options) {
  if (options.json && options.markdown) refuse("--json and --markdown exclude each other");
  if (options.list) {
    if (!options.ids.empty()) refuse("--list takes no exhibit: it lists them all");
    Output(options.folder).finish(options.json ? to_text(exhibits_json()) : exhibits_text());
    return good;
  }
  if (options.ids.empty()) refuse("name an exhibit, or all: quadrille reproduce all -o DIR; --list lists them");
  const auto exhibits = chosen(options.ids);
  if (options.folder) make_folder(*options.folder);
  const bool several = exhibits.size() > 1;
  Json array = Json::array();
  std::string index, sections;
  bool explained = true;
  Output output;
  ProgressLine progress;
  ExhibitMakers makers(exhibits, progress);
  for (std::size_t number = 0; number < exhibits.size(); ++number) {
    const Made made{exhibits[number], makers.take(number)};
    if (options.folder) write(made, *options.folder);
    progress.clear();
    explained = explained && papers::verdict_of(made.reproduction).explained;
    if (options.json) {
      array.push_back(verdict_json(made));
    } else if (options.markdown) {
      index += index_line(made);
      sections += section_text(made, "reproduction");
    } else {
      output.stream() << verdict_text(made, !several) << std::flush;
    }
  }
  if (options.json)
    output.finish(to_text(several ? array : array[0]));
  else
    output.finish(options.markdown ? (several ? index_of(index) : "") + sections : "");
  return explained ? good : with_findings;
}

}  // namespace quadrille::command
