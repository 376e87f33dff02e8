// SPDX-License-Identifier: BSD-3-Clause
// quadrille info: describes this build, this machine, the MPI libraries found, and how a race would run.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "foundation/mpi_libraries.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/transports.hpp"
#include "quadrille/version.hpp"
#include "subcommands/subcommand.hpp"
#include "support/machine.hpp"
#include "support/output.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

struct InfoArguments {
  std::optional<std::string> output;
  bool json = false;
};

int run_info(const InfoArguments& options) {
  Output output(options.output);
  const Machine machine = this_machine();
  const TransportChoice choice = choose_transport();
  Json found = Json::array();
  std::string lines;
  for (const PlugIn& plug_in : plug_ins()) {
    const std::string version = plug_in.installed ? mpi_version(plug_in) : "no plug-in was built for it";
    found.push_back({{"library", plug_in.mpi}, {"path", plug_in.path}, {"installed", plug_in.installed}, {"version", version}});
    lines +=
        fmt::format("{:<10} {}\n{:<10} {}{}\n", plug_in.mpi, version, "", plug_in.path, plug_in.installed ? "" : " is not there");
  }
  if (options.json)
    output.finish(document_text("info", {{"version", version()},
                                         {"compiler", compiler},
                                         {"build_type", build_type},
                                         {"machine", to_json(machine)},
                                         {"plug_ins", std::move(found)},
                                         {"transport", name(choice.transport)},
                                         {"reason", choice.reason}}));
  else
    output.finish(fmt::format("quadrille  {}, {} build by {}\nmachine    {}\n{}chosen     {}: {}\n", version(), build_type,
                              compiler, to_string(machine), lines, name(choice.transport), choice.reason));
  return good;
}

}  // namespace

Subcommand add_info(CLI::App& command) {
  auto options = std::make_shared<InfoArguments>();
  OptionTable table(command, "info", "version, machine, MPI libraries found, and which one would be used and why");
  table.add_json(options->json, "as a JSON object");
  table.add_output(options->output);
  table.set_footer("The environment variable QUADRILLE_MPI (" + alternatives(ids_or_none()) +
                   ") overrules what the launcher suggests; 'quadrille list "
                   "environment' lists all variables. 'quadrille doctor' says what stands in the way.\n\n"
                   "Examples:\n  quadrille info\n  mpirun -n 2 quadrille info");
  return {std::move(table), [options] { return run_info(*options); }};
}

}  // namespace quadrille::command
