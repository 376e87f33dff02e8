// SPDX-License-Identifier: BSD-3-Clause
// quadrille plot: draws the times of races, simulations or prices with several numbers of ranks as one picture.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "options/arguments.hpp"
#include "options/documents.hpp"
#include "options/file_format.hpp"
#include "quadrille/error.hpp"
#include "reports/race_plot.hpp"
#include "reports/result_file.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"

namespace quadrille::command {
namespace {

struct PlotArguments {
  std::vector<std::string> files;
  RacePlotForm form;
  std::optional<std::string> output;
};

[[noreturn]] void refuse_kind(DocumentKind kind, const std::string& label) {
  constexpr std::string_view known = "a plot shows results of 'quadrille race --json', 'simulate --json' or 'price --json'";
  const auto shown_by_view = [&](const char* what) {
    return Error(ErrorCode::malformed, fmt::format("{} holds {}, which 'quadrille view' shows; {}", label, what, known));
  };
  switch (kind) {
    case DocumentKind::trace: throw shown_by_view("a trace");
    case DocumentKind::tuning: throw shown_by_view("results of 'quadrille tune'");
    case DocumentKind::report: throw shown_by_view("the report of a program");
    default: throw Error(ErrorCode::malformed, fmt::format("{} holds none of the results that can be drawn; {}", label, known));
  }
}

std::vector<RaceFile> read(const std::string& file) {
  const std::string label = label_of(file), text = read_text(file, label);
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    throw Error(
        ErrorCode::malformed,
        fmt::format("{} is not a result of 'quadrille race --json', 'simulate --json' or 'price --json': it is no JSON", label));
  if (is_predicted(json)) return predicted_files_of(json, label);
  if (const DocumentKind kind = kind_of_document(text, label); kind != DocumentKind::race) refuse_kind(kind, label);
  std::vector<RaceFile> races;
  for (const Json& race : json.is_array() ? json : Json::array({json})) races.push_back(race_file_of(race, label));
  return races;
}

int run_plot(const PlotArguments& options) {
  if (options.files.empty())
    refuse("name files that 'quadrille race --json' wrote: quadrille plot race-2.json race-4.json -o races.svg");
  constexpr std::size_t most = 32;
  if (options.files.size() > most)
    refuse(fmt::format("{} files are too many for one picture; the limit is {}", options.files.size(), most));
  if (std::count(options.files.begin(), options.files.end(), "-") > 1) refuse("only one of the files can be stdin");
  std::vector<RaceFile> races;
  for (const std::string& file : options.files)
    for (RaceFile& race : read(file)) races.push_back(std::move(race));
  Output(options.output).finish(picture_for(options.output, race_plot(races, options.form)));
  return good;
}

}  // namespace

Subcommand add_plot(CLI::App& command) {
  auto options = std::make_shared<PlotArguments>();
  OptionTable table(command, "plot", "draw times of races, simulations or prices over sizes and ranks");
  table.add(group::arguments, {{"files", "FILE", options->files,
                                "results of 'quadrille race --json', one for each number of ranks, or of 'simulate --json' or "
                                "'price --json'; '-' is stdin"}});
  table.add_output(options->output);
  table.add(group::output,
            {{"--curves",
              "N",
              {options->form.curves, parse_curves},
              "number of candidates drawn besides the vendor, 1 to 8 (default {default})"},
             {"--panel",
              "PANEL",
              {options->form.panels, parse_panels},
              "what to show: times, ratios or winners; repeatable (default: all three)"},
             {"--width",
              "WIDTH",
              {options->form.width, parse_width},
              "width of the picture, such as 84mm for a column of a paper; texts keep their size (default {default}px)"}});
  table.set_footer(
      "For each number of ranks: the times over the sizes and their ratio to the vendor's, or to the best where there is no "
      "vendor, with "
      "intervals. Below is a map of the fastest candidate for each number of ranks and size. Curves are chosen in this order: "
      "candidates that are fastest somewhere, then those nearest to the fastest.\n\n"
      "Example:\n"
      "  for p in 2 4 8; do\n"
      "    mpirun -n $p quadrille race alltoall --block 8B..1MiB --json -o race-$p.json\n"
      "  done\n"
      "  quadrille plot race-2.json race-4.json race-8.json -o races.svg\n"
      "  quadrille simulate alltoall --ranks 16,64 --block 8B..64KiB --machine sp2 --json | quadrille plot - -o times.svg\n"
      "  quadrille plot race-8.json --panel times --width 84mm -o times.pdf");
  Subcommand subcommand{std::move(table), [options] { return run_plot(*options); }};
  subcommand.writes = [] { return FileFormat::svg; };
  return subcommand;
}

}  // namespace quadrille::command
