// SPDX-License-Identifier: BSD-3-Clause
// quadrille doctor: finds out whether a program can run with the drop-in on this machine, and says what stands in the way.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "foundation/mpi_libraries.hpp"
#include "foundation/system/pipes.hpp"
#include "quadrille/error.hpp"
#include "quadrille/transports.hpp"
#include "quadrille/version.hpp"
#include "subcommands/preload.hpp"
#include "subcommands/subcommand.hpp"
#include "support/checkup.hpp"
#include "support/machine.hpp"
#include "support/output.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

struct DoctorArguments {
  std::optional<std::string> program, output;
  bool json = false;
};

// What is known of the MPI libraries after the first lines.
struct KnownMpi {
  const MpiLibrary* of_launcher = nullptr;  // null: not known
  const MpiLibrary* used = nullptr;         // the program's, else the launcher's
  LinkedMpi linked;
};

CheckupLine check_versions() {
  utsname system{};
  ::uname(&system);
  return {.subject = "quadrille",
          .value = fmt::format("{}, {} build by {}; glibc {}, {} {}", version(), build_type, compiler, ::gnu_get_libc_version(),
                               system.sysname, system.release)};
}

CheckupLine check_launcher(KnownMpi& known) {
  CheckupLine line{.subject = "mpirun"};
  try {
    line.value = find_program("mpirun").string();
    known.of_launcher = library_of_launcher(output_of({line.value, "--version"}, {.mebibytes = 1, .seconds = 10}, line.value));
  } catch (const Error& error) {
    line.advice =
        fmt::format("{}; install an MPI library, or load its module, unless the batch system starts ranks itself", error.what());
    return line;
  }
  known.used = known.of_launcher;
  line.value += fmt::format(", of {}", known.used ? known.used->title : "an unknown MPI library");
  return line;
}

CheckupLine check_program(const std::string& word, KnownMpi& known) {
  CheckupLine line{.subject = "program", .value = word};
  try {
    const PreloadedProgram program = checked_program(word);
    line.value = program.path.string();
    if (program.is_script) line.value += fmt::format(", a script that {} runs", program.file.string());
    known.linked = linked_mpi(program.file);
    if (known.linked.libraries.empty()) {
      line.value += ", linked with no MPI library";
      line.advice = program.is_script ? "the script hides which MPI library is used: name the program that it starts, too"
                                      : "if it loads an MPI library only later, as python3 does, start it by that library's mpirun";
      return line;
    }
    line.value += fmt::format(", linked with {}", fmt::join(known.linked.files, ", "));
    known.used = find_mpi_library(known.linked.chosen(program.file));
    line.value += fmt::format(" of {}", known.used->title);
  } catch (const Error& error) {
    line.advice = error.what();
    line.is_in_the_way = true;
  }
  return line;
}

CheckupLine check_agreement(const KnownMpi& known) {
  CheckupLine line{.subject = "both", .value = "mpirun and the program belong together"};
  if (known.used == known.of_launcher || !known.used->has_plug_in) return line;
  line.value = fmt::format("mpirun is of {}, the program of {}", known.of_launcher->title, known.used->title);
  line.advice = fmt::format("start the program by the mpirun of {}, because the other starts each rank as a run of its own",
                            known.used->title);
  line.is_in_the_way = true;
  return line;
}

CheckupLine check_drop_in(const KnownMpi& known) {
  CheckupLine line{.subject = "drop-in", .is_in_the_way = true};
  try {
    line.value = preload_library(known.used->id);
    const bool has_alias = !alias_library(known.used->id, known.linked.files).empty();
    if (known.used->has_plug_in && !has_alias) line.value += fmt::format(", with {}", mpi_library_file(known.used->id));
    line.is_in_the_way = false;
  } catch (const Error& error) {
    line.advice = error.what();
  }
  return line;
}

int run_doctor(const DoctorArguments& options) {
  Output output(options.output);
  const CheckupLine tracing = check_tracing();  // it forks, so it must run before any thread is started
  KnownMpi known;
  std::vector<CheckupLine> lines{check_versions(), check_launcher(known)};
  if (options.program) lines.push_back(check_program(*options.program, known));
  if (known.of_launcher && !known.linked.libraries.empty() && known.used) lines.push_back(check_agreement(known));
  if (known.used) lines.push_back(check_drop_in(known));
  const int cores = allowed_cores();
  lines.insert(lines.end(), {check_memory(), tracing, check_heap(), check_shared_folder("/dev/shm", cores),
                             check_control_groups(cores), check_cores(cores), check_hwloc(), check_wisdom()});
  const bool is_good = std::none_of(lines.begin(), lines.end(), [](const CheckupLine& line) { return line.is_in_the_way; });
  std::string text;
  for (const CheckupLine& line : lines)
    text += paragraph(fmt::format("{:<10} {}: {}", line.subject, line.value, line.advice.empty() ? "ok" : line.advice), 11);
  const auto json_of = [](const CheckupLine& line) {
    return joined({{"subject", line.subject},
                   {"value", line.value},
                   {"state", line.advice.empty()  ? "ok"
                             : line.is_in_the_way ? "fault"
                                                  : "advice"},
                   {"advice", line.advice}},
                  line.figures);
  };
  output.finish(options.json ? document_text("doctor", {{"ok", is_good}, {"lines", array_of(lines, json_of)}}) : text);
  return is_good ? good : with_findings;
}

}  // namespace

Subcommand add_doctor(CLI::App& command) {
  auto options = std::make_shared<DoctorArguments>();
  OptionTable table(command, "doctor", "say what stands in the way of faster collectives on this machine, and what to do");
  table.add(group::arguments, {{"program", "PROGRAM", options->program, "the program that shall run with 'quadrille wrap'"}});
  table.add_json(options->json, "as a JSON object");
  table.add_output(options->output);
  table.set_footer(
      "Each line has a subject, what was found, and 'ok' or what to do. The exit code is 0 if nothing stands in the way, and 1 if "
      "something does. Advice that only makes programs faster does not count.\n"
      "Run it where the ranks run, too: mpirun -n 1 quadrille doctor ./app\n\n"
      "Examples:\n  quadrille doctor\n  quadrille doctor ./app\n  quadrille doctor ./app --json");
  return {std::move(table), [options] { return run_doctor(*options); }};
}

}  // namespace quadrille::command
