// SPDX-License-Identifier: BSD-3-Clause
// quadrille view: writes a page that replays a schedule in a browser.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "collectives/table.hpp"
#include "draw/viewer_page.hpp"
#include "options/arguments.hpp"
#include "options/cases.hpp"
#include "options/documents.hpp"
#include "options/model_options.hpp"
#include "options/problem_options.hpp"
#include "options/subject.hpp"
#include "quadrille/error.hpp"
#include "quadrille/trace.hpp"
#include "quadrille/verify.hpp"
#include "reports/result_file.hpp"
#include "reports/schedule_verdict.hpp"
#include "reports/simulated_times.hpp"
#include "reports/viewer_gallery.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

// Checks of the results that a page shows as curves and tables. The viewer reads the results, so they are written to the page
// unchanged. All functions throw Error{malformed} with a sentence that names the file by `label`.

constexpr Count too_large_count = Count{1} << 53;  // the viewer computes with doubles

double number_from_0(const Json& json, const char* key) {
  const double value = json.at(key).get<double>();
  demand(value >= 0 && value < 1e300, "a time or a share is not a number from 0 on");
  return value;
}

Count count_from(Count least, const Json& json, const char* key) {
  demand(json.at(key).is_number_integer(), "a count is not a whole number");
  const auto count = json.at(key).get<Count>();
  demand(count >= least, "a count is too small");
  demand(count < too_large_count, "a count is too large");
  return count;
}

template <class Each>
void for_each_document(const Json& results, Each&& each) {
  if (!results.is_array()) return each(results);
  for (const Json& document : results) each(document);
}

// Checks what add_run_facts writes. Older results do not have all of it.
void check_run_facts(const Json& results) {
  for (const char* key : {"host", "command", "version"})
    if (results.contains(key)) results[key].get<std::string>();
  if (results.contains("start_unix_s")) number_from_0(results, "start_unix_s");
  if (!results.contains("machine")) return;
  const Json& machine = results["machine"];
  machine.at("model").get<std::string>();
  for (const char* key : {"cores", "threads"}) count_from(0, machine, key);
}

// Returns true if the cell has been measured.
bool check_cell(const Json& cell) {
  parse_collective(cell.at("collective").get<std::string>());
  cell.at("shape").get<std::string>();
  count_from(0, cell, "block_bytes");
  for (const Json& way : cell.at("ways")) {
    way.at("algorithm").get<std::string>();
    for (const char* key : {"median_s", "lower_s", "upper_s"}) number_from_0(way, key);
  }
  return !cell["ways"].empty();
}

void check_communicator(const Json& entry, const Json& communicators) {
  if (const Json& communicator = entry.at("communicator"); !communicator.is_null())
    demand(communicator.get<std::size_t>() < communicators.size(), "a communicator is none of the communicators");
}

// A key whose value may be null, or missing.
bool has_value(const Json& json, const char* key) { return json.contains(key) && !json[key].is_null(); }

void check_bytes(const Json& entry) {
  for (const char* key : {"least_block_bytes", "most_block_bytes", "block_bytes", "sent_bytes"})
    if (has_value(entry, key)) count_from(0, entry, key);
}

void check_row(const Json& row, const Json& communicators) {
  row.at("collective").get<std::string>();
  for (const char* key : {"calls", "ours_calls"}) count_from(0, row, key);
  for (const char* key : {"share", "rank_seconds", "most_seconds"}) number_from_0(row, key);
  check_communicator(row, communicators);
  check_bytes(row);
  if (has_value(row, "late")) number_from_0(row["late"], "mean_s");
  for (const char* key : {"vendor", "ours"})
    if (has_value(row, key)) number_from_0(row[key], "median_s");
}

void check_call(const Json& call, const Json& communicators, Count ranks) {
  demand(count_from(0, call, "rank") < ranks, "a rank is none of the world's");
  call.at("collective").get<std::string>();
  for (const char* key : {"begin_s", "seconds"}) number_from_0(call, key);
  check_communicator(call, communicators);
  check_bytes(call);
}

void check_rank(const Json& rank, Count ranks) {
  demand(count_from(0, rank, "rank") < ranks, "a rank is none of the world's");
  for (const char* key : {"host", "state"}) rank.at(key).get<std::string>();
  for (const char* key : {"seconds", "collective_seconds"}) number_from_0(rank, key);
}

// Checks results of quadrille race --json: one, or an array.
void check_races(const Json& results, const std::string& label) {
  for_each_document(results, [&](const Json& race) {
    race_file_of(race, label);
    read_result(label, "'quadrille race --json'", [&] {
      for (const char* key : {"ranks", "nodes"}) count_from(1, race, key);
      check_run_facts(race);
    });
  });
}

// Checks results of quadrille tune --json: one, or an array.
void check_tuning(const Json& results, const std::string& label) {
  read_result(label, "'quadrille tune --json'", [&] {
    for_each_document(results, [](const Json& session) {
      count_from(1, session, "ranks");
      session.at("transport").get<std::string>();
      check_run_facts(session);
      const Json& cells = session.at("cells");
      demand(cells.is_array() && session.at("collectives").is_array(), "it has no cells");
      demand(std::count_if(cells.begin(), cells.end(), check_cell) > 0, "no cell has been measured");
    });
  });
}

// Checks the result of quadrille report --json.
void check_run_report(const Json& report, const std::string& label) {
  read_result(label, "'quadrille report --json'", [&] {
    for (const char* key : {"program", "mpi"}) report.at(key).get<std::string>();
    report.at("hosts").get<std::vector<std::string>>();
    for (const char* key : {"start_unix_s", "seconds", "share"}) number_from_0(report, key);
    const Count ranks = count_from(1, report, "world_size");
    const Json& communicators = report.at("communicators");
    demand(communicators.is_array(), "its communicators are no list");
    number_from_0(report.at("balance"), "late_s");
    for (const Json& rank : report.at("ranks")) check_rank(rank, ranks);
    for (const Json& row : report.at("rows")) check_row(row, communicators);
    if (const auto calls = report.find("costliest_calls"); calls != report.end())
      for (const Json& call : *calls) check_call(call, communicators, ranks);
    const Json& traffic = report.at("traffic_bytes");
    if (traffic.is_null()) return;
    demand(static_cast<Count>(traffic.size()) == ranks, "the traffic has another number of ranks");
    for (const Json& row : traffic) {
      demand(row.is_array() && static_cast<Count>(row.size()) == ranks, "the traffic has another number of ranks");
      const auto is_count = [](const Json& bytes) { return bytes.is_number_integer() && bytes >= 0 && bytes < too_large_count; };
      demand(std::all_of(row.begin(), row.end(), is_count), "the traffic has something else than whole numbers");
    }
  });
}

struct ViewArguments {
  std::vector<std::string> subjects;  // a collective, or files
  SubjectOptions about;
  ModelOptions model;
  OnlyOption only;
  std::optional<std::string> gallery, output;
  bool course = false, open = false;
};

constexpr std::size_t most_documents = 2;  // how many documents are shown side by side

void open_in_browser(const std::string& file) {
  std::string program = "xdg-open", absolute = std::filesystem::absolute(file);
  char* const words[] = {program.data(), absolute.data(), nullptr};
  pid_t child = 0;
  if (const int error = ::posix_spawnp(&child, words[0], nullptr, nullptr, words, environ); error != 0)
    throw Error(ErrorCode::environment, fmt::format("cannot start xdg-open, which opens '{}': {}", file, std::strerror(error)));
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) throw Error(ErrorCode::environment, fmt::format("xdg-open could not open '{}'", file));
}

// As in viewer/src/load/problem.ts.
constexpr Count most_vertices = 4 * most_viewed_ranks, most_rounds = Count{1} << 17;

void check_ranks(Count ranks) {
  if (ranks > most_viewed_ranks) refuse(fmt::format("a page shows at most {} ranks, not {}", most_viewed_ranks, ranks));
}

// Returns true if the viewer, which computes with doubles, computes exactly with all sizes.
bool has_exact_sizes(const Trace& trace) {
  const auto is_exact = [](Bytes bytes) { return bytes < Bytes{1} << 53; };
  return is_exact(trace.problem.block_bytes) && std::all_of(trace.input_bytes.begin(), trace.input_bytes.end(), is_exact) &&
         std::all_of(trace.output_bytes.begin(), trace.output_bytes.end(), is_exact) &&
         std::all_of(trace.scratch_bytes.begin(), trace.scratch_bytes.end(), is_exact) &&
         std::all_of(trace.messages.begin(), trace.messages.end(),
                     [&](const TracedMessage& each) { return is_exact(each.bytes); }) &&
         std::all_of(trace.locals.begin(), trace.locals.end(),
                     [&](const TracedLocal& each) { return is_exact(bytes(each.local.source)); });
}

// Adds a trace whose ranks have been checked.
void add(const Trace& trace, ViewerPage& page) {
  if (trace.network && trace.network->vertices > most_vertices)
    refuse(fmt::format("a page shows at most {} ranks and switches, not {}", most_vertices, trace.network->vertices));
  const auto is_late = [](const TracedMessage& message) { return message.round >= most_rounds; };
  const auto ends_late = [](const Stage& stage) {
    return stage.first_round > most_rounds || stage.round_count > most_rounds - stage.first_round;
  };
  if (std::any_of(trace.messages.begin(), trace.messages.end(), is_late) ||
      std::any_of(trace.stages.begin(), trace.stages.end(), ends_late))
    refuse(fmt::format("a page shows at most {} rounds", most_rounds));
  if (!has_exact_sizes(trace)) refuse("a page shows sizes below 2^53 bytes");
  page.add(trace);
}

void add_schedule(const ViewArguments& options, const Schedule& schedule, const std::string& label,
                  const std::vector<Finding>& findings, ViewerPage& page) {
  check_ranks(schedule.problem.ranks);
  const auto network = options.about.problem.network();
  const Topology* const topology = network ? &*network : nullptr;
  Trace trace = described_trace(schedule, label, topology, findings);
  if (options.model.machine) {
    refuse_wrong(schedule, findings);
    add_simulated_times(trace, schedule, topology, options.model);
  }
  add(trace, page);
  if (!findings.empty()) complain_of(schedule, label, "its page shows", findings);
}

// Adds the schedules of a file. Returns false if a schedule is wrong.
bool add_schedules(const ViewArguments& options, const std::string& file, const std::string& text, ViewerPage& page) {
  bool right = true;
  const auto schedules = options.only.picked(
      read_schedules(file, [&](const std::string&, const std::string&) { return text; }),
      [](const Schedule& each) { return specification(each); }, label_of(file));
  for (Schedule schedule : schedules) {
    schedule.problem = options.about.problem.with_network(schedule.problem);
    const std::vector<Finding> findings = verify(schedule, {.most_findings = most_counted_findings});
    add_schedule(options, schedule, short_specification(schedule), findings, page);
    right = right && findings.empty();
  }
  return right;
}

void check_has_no_network_options(const ViewArguments& options, const std::string& what) {
  if (options.about.problem.topology) refuse(what + "; leave --topology out");
  if (options.model.machine || options.model.model) refuse(what + "; leave --machine and --model out");
}

void add_traces(const ViewArguments& options, const std::string& file, const std::string& text, ViewerPage& page) {
  const std::string label = label_of(file);
  check_has_no_network_options(options, label + " holds a trace, which has its own network and times");
  std::vector<Trace> traces = read_traces(text, label);
  for (const Trace& trace : options.only.picked(
           std::move(traces), [](const Trace& each) { return each.title; }, label)) {
    check_ranks(trace.problem.ranks);
    add(trace, page);
  }
}

// Adds the results of race, tune or report, which the viewer reads itself.
void add_results(const ViewArguments& options, const std::string& file, const std::string& text, DocumentKind kind,
                 ViewerPage& page) {
  const std::string label = label_of(file);
  check_has_no_network_options(options, label + " holds measured times");
  if (!options.only.words.empty()) refuse(label + " holds measured times, which a page shows all; leave --only out");
  const Json results = Json::parse(text);
  if (kind == DocumentKind::race) check_races(results, label);
  if (kind == DocumentKind::tuning) check_tuning(results, label);
  if (kind == DocumentKind::report) check_run_report(results, label);
  page.documents.push_back(text);
}

// The kinds of contents that a page can show together.
enum class Content { schedules, times, report };

Content content_of(DocumentKind kind) {
  switch (kind) {
    case DocumentKind::race:
    case DocumentKind::tuning: return Content::times;
    case DocumentKind::report: return Content::report;
    default: return Content::schedules;
  }
}

// Adds the documents of a file, and returns what they are. Makes `right` false if a schedule is wrong.
Content add_file(const ViewArguments& options, const std::string& file, bool& right, ViewerPage& page) {
  const std::string label = label_of(file), text = read_text(file, label);
  const DocumentKind kind = kind_of_document(text, label);
  switch (kind) {
    case DocumentKind::schedule: right = add_schedules(options, file, text, page) && right; break;
    case DocumentKind::trace: add_traces(options, file, text, page); break;
    case DocumentKind::prediction:
      refuse(
          fmt::format("{} holds predicted times only; 'quadrille plot' draws them; for a page with simulated times, run "
                      "'quadrille view' on the collective or its schedule with --machine",
                      label));
    default: add_results(options, file, text, kind, page);
  }
  return content_of(kind);
}

// Adds all files. Returns false if a schedule is wrong.
bool add_files(const ViewArguments& options, ViewerPage& page) {
  if (!options.only.words.empty() && options.subjects.size() > 1) refuse("--only picks from one file; name one");
  bool right = true;
  std::optional<Content> content;
  for (const std::string& file : options.subjects) {
    options.about.check_file(file);
    const Content found = add_file(options, file, right, page);
    if (content.value_or(found) != found || (content && found == Content::report))
      refuse("a page shows schedules and traces, or results of race and tune, or one report of a program; make a page for each");
    content = found;
  }
  if (content == Content::schedules && page.documents.size() > most_documents)
    refuse(fmt::format("a page shows one schedule, or two side by side, not {}; pick by --only, which may be given twice",
                       page.documents.size()));
  return right;
}

// Refuses a folder whose index.html is not the index of a gallery.
void check_overwrites_gallery_only(const std::filesystem::path& folder) {
  const std::filesystem::path index = folder / "index.html";
  std::error_code none;
  if (!std::filesystem::exists(index, none)) return;
  if (!is_gallery_index(read_text(index.string(), label_of(index.string()))))
    refuse(fmt::format("'{}' exists, and a gallery would overwrite it; name another folder", index.string()));
}

void write_gallery(const std::filesystem::path& folder, GalleryKind kind) {
  check_overwrites_gallery_only(folder);
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw Error(ErrorCode::environment, fmt::format("cannot make the folder '{}': {}", folder.string(), failed.message()));
  ProgressLine progress;
  progress.show("writes " + folder.string());
  for (const GalleryFile& file : gallery(kind)) Output((folder / file.name).string()).finish(file.content);
}

int run_view(const ViewArguments& options) {
  if (options.gallery) {
    if (!options.subjects.empty() || options.output)
      refuse("--gallery writes its own pages; leave the collective, files and -o out");
    write_gallery(*options.gallery, options.course ? GalleryKind::course : GalleryKind::all_algorithms);
    if (options.open) open_in_browser(std::filesystem::path(*options.gallery) / "index.html");
    return good;
  }
  if (options.course) refuse("--course needs the folder of a gallery: --gallery FOLDER");
  if (options.subjects.empty())
    refuse("name a collective or a file: quadrille view alltoall --algorithm bruck --ranks 8 -o bruck.html");
  if (options.open && (!options.output || *options.output == "-")) refuse("--open needs a file; add -o page.html");
  if (options.model.model && !options.model.machine) refuse("simulated times need a machine: --machine sp2");
  Output output(options.output);
  ViewerPage page;
  bool right = true;
  if (const auto collective = collective_named(options.subjects.front())) {
    if (options.subjects.size() > 1) refuse("name one collective, or files");
    if (!options.only.words.empty()) refuse("--only picks from a file; leave it out");
    const auto cases = options.about.named_cases(*collective);
    if (cases.size() > most_documents) refuse(fmt::format("a page shows one schedule, or two side by side, not {}", cases.size()));
    ProgressLine progress;
    for (const Case& entry : cases) {
      const auto [schedule, label, findings, is_of_file] = shown(entry, progress);
      add_schedule(options, schedule, label, findings, page);
      right = right && findings.empty();
    }
  } else {
    right = add_files(options, page);
  }
  output.finish(html_of(page));
  if (options.open) open_in_browser(*options.output);
  return right ? good : with_findings;
}

}  // namespace

Subcommand add_view(CLI::App& command) {
  auto options = std::make_shared<ViewArguments>();
  OptionTable table(command, "view", "write a page that replays a schedule in a browser");
  table.add(group::arguments,
            {{"subject", "COLLECTIVE|FILE", options->subjects,
              "a collective, or one or two files with a schedule or a trace, or results of race, tune or report; '-' is stdin"}});
  options->about.add_to(table, "such as bruck:radix=8; two are shown side by side");
  options->model.add_to(table);
  table.add(group::output, {options->only.row()});
  table.add(group::output,
            {{"--gallery", "FOLDER", options->gallery, "write a course and a page for each algorithm to this folder"},
             {"--course", "", options->course,
              "with --gallery: only the course, with a task for each lesson, a page that proves schedules, and handouts to print"},
             {"--open", "", options->open, "open the page by xdg-open"}});
  table.add_output(options->output);
  table.set_footer(
      "The page is one HTML file that needs no network: memory, network, time, traffic, figures and programs, to play, step and "
      "follow block by block (docs/viewer.md). With --topology it has the links that each message takes, and with --machine "
      "simulated times, as 'quadrille trace' writes them. The schedule of a file or command is verified; a wrong one is shown with "
      "its findings, and the exit code is then 1. What 'quadrille race --json', 'tune --json' and 'report --json' wrote becomes "
      "curves and tables.\n\n"
      "Examples:\n"
      "  quadrille view alltoall --algorithm bruck:radix=2 --ranks 8 -o bruck.html\n"
      "  quadrille view alltoall --algorithm bruck --algorithm shift --ranks 8 -o compared.html\n"
      "  quadrille view alltoall --algorithm torus --topology torus:4x4 --block 1KiB --machine sp1 -o torus.html\n"
      "  quadrille view mine.sched -o mine.html --open\n"
      "  quadrille view runs.json --only 1 --only 3 -o compared.html\n"
      "  quadrille view race-4.json race-8.json -o races.html\n"
      "  quadrille view --gallery algorithms\n"
      "  quadrille view --gallery course --course");
  Subcommand subcommand{std::move(table), [options] { return run_view(*options); }};
  subcommand.writes = [] { return FileFormat::html; };
  return subcommand;
}

}  // namespace quadrille::command
