// SPDX-License-Identifier: BSD-3-Clause
// quadrille recording: prints what 'quadrille wrap --record' has recorded.
#include "quadrille/recording.hpp"

#include <memory>

#include "options/arguments.hpp"
#include "options/common_options.hpp"
#include "recording/recording_json.hpp"
#include "reports/recording_report.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"

namespace quadrille::command {
namespace {

struct RecordingArguments {
  std::string folder = "quadrille-recording";
  std::optional<std::string> output;
  bool full = false, json = false;
};

int run_recording(const RecordingArguments& options) {
  Output output(options.output);
  const Recording recording = read_recording(options.folder);
  if (options.json)
    recording::write_json(output.stream(), recording);
  else
    output.stream() << recording_text(recording, {.full = options.full});
  output.finish();
  return good;
}

}  // namespace

Subcommand add_recording(CLI::App& command) {
  auto options = std::make_shared<RecordingArguments>();
  CLI::App* parser = add_subcommand(command, "recording", "print what 'quadrille wrap --record' has recorded");
  add_option(*parser, "folder", options->folder, "the folder of the recording (default: quadrille-recording)", "FOLDER");
  begin_group(*parser, group::output);
  add_flag(*parser, "--full", options->full, "every row and every rank");
  add_json_flag(*parser, options->json, "all calls, as a JSON object (docs/recording.md)");
  add_output_option(*parser, options->output);
  set_footer(*parser,
             "A recording also can be read while the program runs, and after ranks were killed.\n"
             "computing: processor time between calls, an estimate. away: time between calls in which the thread was not on a "
             "processor. a call: time of a rank in a call, waiting included. gap before: time between the call and the one before, "
             "computing and away.\n\n"
             "Examples:\n"
             "  mpirun -n 8 quadrille wrap --record=run.recording ./app\n"
             "  quadrille recording run.recording\n"
             "  quadrille recording run.recording --json --output run.json");
  return {parser, [options] { return run_recording(*options); }};
}

}  // namespace quadrille::command
