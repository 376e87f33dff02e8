// SPDX-License-Identifier: BSD-3-Clause
// quadrille plot: draws races with several numbers of ranks as one picture.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "options/arguments.hpp"
#include "options/common_options.hpp"
#include "reports/race_plot.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"

namespace quadrille::command {
namespace {

struct Options {
  std::vector<std::string> files;
  std::optional<std::string> curves, output;
};

int run(const Options& options) {
  if (options.files.empty())
    refuse("name files that 'quadrille race --json' wrote: quadrille plot race-2.json race-4.json -o races.svg");
  constexpr std::size_t most = 32;
  if (options.files.size() > most)
    refuse(fmt::format("{} files are too many for one picture; the limit is {}", options.files.size(), most));
  if (std::count(options.files.begin(), options.files.end(), "-") > 1) refuse("only one of the files can be stdin");
  const std::size_t curves = options.curves ? parse_curves(*options.curves) : default_curves;
  std::vector<RaceFile> races;
  for (const std::string& file : options.files) races.push_back(read_race_file(file));
  Output(options.output).finish(race_plot(races, curves));
  return good;
}

}  // namespace

Subcommand add_plot(CLI::App& command) {
  auto options = std::make_shared<Options>();
  CLI::App* parser = add_subcommand(command, "plot", "draw races with several numbers of ranks as one SVG picture");
  add_option(*parser, "files", options->files, "results of 'quadrille race --json', one for each number of ranks; '-' is stdin",
             "FILE");
  add_output_option(*parser, options->output);
  add_option(*parser, "--curves", options->curves, "number of candidates drawn besides the vendor, 1 to 8 (default 6)", "N");
  set_footer(
      *parser,
      "For each file: the times over the sizes and their ratio to the vendor's, or to the best where there is no vendor, with "
      "intervals. Below is a map of the fastest candidate for each number of ranks and size. Curves are chosen in this order: "
      "candidates that are fastest somewhere, then those nearest to the fastest.\n\n"
      "Example:\n"
      "  for p in 2 4 8; do\n"
      "    mpirun -n $p quadrille race alltoall --block 8B..1MiB --json -o race-$p.json\n"
      "  done\n"
      "  quadrille plot race-2.json race-4.json race-8.json -o races.svg");
  Subcommand subcommand{parser, [options] { return run(*options); }};
  subcommand.writes = [] { return FileFormat::svg; };
  return subcommand;
}

}  // namespace quadrille::command
