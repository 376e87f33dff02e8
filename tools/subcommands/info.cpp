// SPDX-License-Identifier: BSD-3-Clause
// quadrille info: describes this build, this machine, the memory that processes can share, the MPI libraries found, and how a race
// would run.
#include <fmt/format.h>

#include <memory>

#include "foundation/mpi_libraries.hpp"
#include "foundation/text/wording.hpp"
#include "options/common_options.hpp"
#include "quadrille/transports.hpp"
#include "subcommands/subcommand.hpp"
#include "support/build.hpp"
#include "support/json.hpp"
#include "support/machine.hpp"
#include "support/output.hpp"
#include "support/sharing.hpp"

namespace quadrille::command {
namespace {

struct InfoArguments {
  std::optional<std::string> output;
  bool json = false;
};

int run_info(const InfoArguments& options) {
  Output output(options.output);
  const Sharing sharing = sharing_of_this_process();  // it forks, so it must run before any thread is started
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
    output.finish(to_text({{"version", version},
                           {"compiler", compiler},
                           {"build_type", build_type},
                           {"machine", to_json(machine)},
                           {"shared_memory", to_json(sharing)},
                           {"plug_ins", std::move(found)},
                           {"transport", name(choice.transport)},
                           {"reason", choice.reason}}));
  else
    output.finish(fmt::format("quadrille  {}, {} build by {}\nmachine    {}\n{}{}chosen     {}: {}\n", version, build_type,
                              compiler, to_string(machine), to_string(sharing), lines, name(choice.transport), choice.reason));
  return good;
}

}  // namespace

Subcommand add_info(CLI::App& command) {
  auto options = std::make_shared<InfoArguments>();
  CLI::App* parser =
      add_subcommand(command, "info", "version, machine, shared memory, MPI libraries found, and which one would be used and why");
  add_json_flag(*parser, options->json, "as a JSON object");
  add_output_option(*parser, options->output);
  set_footer(*parser, "The environment variable QUADRILLE_MPI (" + alternatives(ids_or_none()) +
                          ") overrules what the launcher suggests; 'quadrille list "
                          "environment' lists all variables.\n"
                          "Two ranks can share memory if this command prints the same machine and pid namespace for both.\n\n"
                          "Examples:\n  quadrille info\n  mpirun -n 2 quadrille info");
  return {parser, [options] { return run_info(*options); }};
}

}  // namespace quadrille::command
