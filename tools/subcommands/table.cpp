// SPDX-License-Identifier: BSD-3-Clause
// The table of subcommands, in the order of the help. A row is the name of a subcommand; its file defines add_<name>. The help, the
// manual, the completion scripts and the error messages take their lists of subcommands from it.
#include "subcommands/subcommand.hpp"

#define QUADRILLE_ROWS(ROW) \
  ROW(list)                 \
  ROW(info)                 \
  ROW(doctor)               \
  ROW(schedule)             \
  ROW(verify)               \
  ROW(prove)                \
  ROW(draw)                 \
  ROW(view)                 \
  ROW(explain)              \
  ROW(bound)                \
  ROW(price)                \
  ROW(simulate)             \
  ROW(trace)                \
  ROW(calibrate)            \
  ROW(tune)                 \
  ROW(wisdom)               \
  ROW(race)                 \
  ROW(compare)              \
  ROW(plot)                 \
  ROW(audit)                \
  ROW(reproduce)            \
  ROW(run)                  \
  ROW(wrap)                 \
  ROW(preload)              \
  ROW(watch)                \
  ROW(report)               \
  ROW(recording)            \
  ROW(project)              \
  ROW(completion)           \
  ROW(manual)               \
  ROW(help)

namespace quadrille::command {

#define QUADRILLE_DECLARE(name) Subcommand add_##name(CLI::App& command);
#define QUADRILLE_ADD(name) \
  if (only.empty() || only == #name) subcommands.push_back(add_##name(command));

QUADRILLE_ROWS(QUADRILLE_DECLARE)

std::vector<Subcommand> add_subcommands(CLI::App& command, std::string_view only) {
  std::vector<Subcommand> subcommands;
  QUADRILLE_ROWS(QUADRILLE_ADD)
  return subcommands;
}

}  // namespace quadrille::command
