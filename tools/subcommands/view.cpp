// SPDX-License-Identifier: BSD-3-Clause
// quadrille view: writes a page that replays a schedule in a browser.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>

#include "draw/schedule_trace.hpp"
#include "draw/viewer_page.hpp"
#include "options/arguments.hpp"
#include "options/cases.hpp"
#include "options/common_options.hpp"
#include "options/problem_options.hpp"
#include "options/subject.hpp"
#include "quadrille/error.hpp"
#include "quadrille/trace.hpp"
#include "quadrille/verify.hpp"
#include "reports/viewer_gallery.hpp"
#include "subcommands/subcommand.hpp"
#include "support/json.hpp"
#include "support/output.hpp"
#include "support/talk.hpp"

namespace quadrille::command {
namespace {

struct Options {
  std::vector<std::string> subjects;  // a collective, or files
  std::vector<std::string> algorithms, generators;
  ProblemOptions problem;
  std::optional<std::string> gallery, output;
  bool open = false;
};

constexpr std::size_t most_documents = 2;  // side by side

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

enum class Content { schedules, traces, report };

// Traces and reports, which other commands wrote, are read by the viewer itself.
Content content_of(const std::string& text) {
  const Json document = Json::parse(text, nullptr, false);
  const Json& first = document.is_array() && !document.empty() ? document.front() : document;
  if (!first.is_object()) return Content::schedules;
  const auto format = first.find("format");
  if (format == first.end()) return first.contains("sizes") || first.contains("cells") ? Content::report : Content::schedules;
  if (*format == "quadrille-trace/1") return Content::traces;
  return *format == "quadrille-report" ? Content::report : Content::schedules;
}

constexpr Count most_ranks = 1024;  // as in viewer/src/load/problem.ts

void check_ranks(Count ranks) {
  if (ranks > most_ranks) refuse(fmt::format("a page shows at most {} ranks, not {}", most_ranks, ranks));
}

std::string document_of(const Schedule& schedule, const std::string& label, const std::optional<Topology>& topology,
                        const std::vector<Finding>& findings) {
  check_ranks(schedule.problem.ranks);
  return trace_document(schedule, label, topology ? &*topology : nullptr, findings);
}

// More findings than anybody reads.
constexpr std::size_t most_findings = 1000;

void add_traces(const std::string& file, const std::string& text, const ProblemOptions& problem, ViewerPage& page) {
  if (problem.topology) refuse(fmt::format("{} holds a trace, which names its own network; leave --topology out", label_of(file)));
  try {
    for (const Trace& trace : parse_traces(text)) {
      check_ranks(trace.problem.ranks);
      std::ostringstream out;
      write_trace(out, trace);
      page.documents.push_back(out.str());
    }
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", label_of(file), error.what()));
  }
}

// Adds the documents of a file. Returns false if a schedule of it is wrong.
bool add_file(const std::string& file, const ProblemOptions& problem, ViewerPage& page) {
  const std::string text = read_text(file, label_of(file));
  const Content content = content_of(text);
  if (content == Content::report) {
    page.documents.push_back(text);
    page.is_report = true;
    return true;
  }
  if (content == Content::traces) {
    add_traces(file, text, problem, page);
    return true;
  }
  bool right = true;
  const auto topology = problem.network();
  for (Schedule& schedule : read_schedules(file, [&](const std::string&, const std::string&) { return text; })) {
    schedule.problem = problem.with_network(schedule.problem);
    const std::vector<Finding> findings = verify(schedule, {.most_findings = most_findings});
    page.documents.push_back(document_of(schedule, specification(schedule), topology, findings));
    right = right && findings.empty();
  }
  return right;
}

void write_gallery(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw Error(ErrorCode::environment, fmt::format("cannot make the folder '{}': {}", folder.string(), failed.message()));
  ProgressLine progress;
  progress.show("writes " + folder.string());
  for (const GalleryFile& file : gallery()) Output((folder / file.name).string()).finish(file.content);
}

int run(const Options& options) {
  if (options.gallery) {
    if (!options.subjects.empty() || options.output)
      refuse("--gallery writes its own pages; leave the collective, files and -o out");
    write_gallery(*options.gallery);
    if (options.open) open_in_browser(std::filesystem::path(*options.gallery) / "index.html");
    return good;
  }
  if (options.subjects.empty())
    refuse("name a collective or a file: quadrille view alltoall --algorithm bruck --ranks 8 -o bruck.html");
  if (options.open && (!options.output || *options.output == "-")) refuse("--open needs a file; add -o page.html");
  Output output(options.output);
  ViewerPage page;
  bool right = true;
  if (const auto collective = collective_named(options.subjects.front())) {
    if (options.subjects.size() > 1) refuse("name one collective, or files");
    const auto topology = options.problem.network();
    for (const Case& entry :
         named_cases_with_generators(options.problem.problems(*collective), options.algorithms, options.generators)) {
      const Schedule schedule = entry.schedule();
      std::vector<Finding> findings;  // stays empty for algorithms of the table, which tests verify
      if (entry.is_own()) findings = verify(schedule, {.most_findings = most_findings});
      page.documents.push_back(document_of(schedule, entry.short_name(), topology, findings));
      right = right && findings.empty();
    }
  } else {
    for (const std::string& file : options.subjects) {
      check_names_file(file, options.problem.given(), !options.algorithms.empty());
      refuse_generators_of_file(options.generators);
      right = add_file(file, options.problem, page) && right;
    }
  }
  if (!page.is_report && page.documents.size() > most_documents)
    refuse(fmt::format("a page shows one schedule, or two side by side, not {}", page.documents.size()));
  output.finish(html_of(page));
  if (options.open) open_in_browser(*options.output);
  return right ? good : with_findings;
}

}  // namespace

Subcommand add_view(CLI::App& command) {
  auto options = std::make_shared<Options>();
  CLI::App* parser = add_subcommand(command, "view", "write a page that replays a schedule in a browser");
  add_option(*parser, "subject", options->subjects,
             "a collective, or one or two files with a schedule or a trace, or results of race, tune or report; '-' is stdin",
             "COLLECTIVE|FILE");
  add_algorithm_option(*parser, options->algorithms, "such as bruck:radix=8; two are shown side by side");
  add_generator_option(*parser, options->generators);
  options->problem.add_to(*parser);
  begin_group(*parser, group::output);
  add_option(*parser, "--gallery", options->gallery, "write a course and a page for each algorithm to this folder", "FOLDER");
  add_flag(*parser, "--open", options->open, "open the page by xdg-open");
  add_output_option(*parser, options->output);
  set_footer(
      *parser,
      "The page is one HTML file that needs no network: memory, network, time, traffic, figures and programs, to play, step and "
      "follow block by block (docs/viewer.md). The schedule of a file or command is verified; a wrong one is shown with its "
      "findings, and the "
      "exit code is then 1. What 'quadrille race --json', 'tune --json' and 'report --json' wrote becomes curves and tables.\n\n"
      "Examples:\n"
      "  quadrille view alltoall --algorithm bruck:radix=2 --ranks 8 -o bruck.html\n"
      "  quadrille view alltoall --algorithm bruck --algorithm shift --ranks 8 -o compared.html\n"
      "  quadrille view mine.sched -o mine.html --open\n"
      "  quadrille view race-4.json race-8.json -o races.html\n"
      "  quadrille view --gallery course");
  Subcommand subcommand{parser, [options] { return run(*options); }};
  subcommand.writes = [] { return FileFormat::html; };
  return subcommand;
}

}  // namespace quadrille::command
