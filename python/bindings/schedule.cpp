// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/schedule.hpp"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include "bindings.hpp"
#include "draw/viewer_page.hpp"
#include "foundation/system/files.hpp"
#include "foundation/text/printable.hpp"
#include "problem/problem_text.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/document.hpp"
#include "quadrille/draw.hpp"
#include "quadrille/error.hpp"
#include "quadrille/fault_cause.hpp"
#include "quadrille/trace.hpp"
#include "quadrille/verify.hpp"
#include "schedule/comparison.hpp"

namespace quadrille::python {
namespace {

using WithoutLock = py::call_guard<LockReleased>;

std::string label_of(const Schedule& schedule) {
  return printable(
      fmt::format("{}/{}, {}", name(schedule.problem.collective), specification(schedule), problem_text(schedule.problem)));
}

// The result of verifying.
struct Report {
  std::string label;
  std::vector<Finding> findings;
  FaultCauses causes;

  bool is_right() const { return findings.empty(); }

  std::string text() const {
    if (is_right()) return label + ": no findings";
    const auto counted = [](std::size_t count, const char* what) {
      return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
    };
    std::string text =
        fmt::format("{}: {}, {}", label, counted(findings.size(), "finding"), counted(causes.causes.size(), "cause"));
    for (const FaultCause& cause : causes.causes)
      text += fmt::format("\n  cause of {}: {}", counted(cause.findings.size(), "finding"), cause.message);
    for (const Finding& finding : findings) text += "\n  " + to_string(finding);
    return printable_lines(text);
  }

  // Names in documents may hold anything, but each finding stays a line.
  static std::string printable_lines(const std::string& text) {
    std::string lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines += (lines.empty() ? "" : "\n") + printable(line);
    return lines;
  }
};

Report verified(Held& held, std::optional<Count> ports, const std::optional<std::string>& topology, bool strict,
                std::size_t limit) {
  VerifyOptions options{.port_limit = ports, .strict_links = strict, .most_findings = limit};
  if (topology) options.topology = parse_topology(*topology);
  Report report{.label = label_of(held.schedule), .findings = verify(held.schedule, options), .causes = {}};
  if (!report.is_right()) report.causes = causes_of(held.schedule, report.findings);
  held.is_right = held.is_right || report.is_right();
  return report;
}

constexpr std::size_t most_findings = 100;

std::vector<Finding> findings_of(Held& held) {
  return held.is_right ? std::vector<Finding>{} : verified(held, {}, {}, false, most_findings).findings;
}

Held made(const Problem& problem, const Named& named) {
  if (const auto* text = std::get_if<std::string>(&named)) return {make_schedule(problem, parse_candidate(problem, *text)), true};
  const auto& family = std::get<Family>(named);
  Result<Schedule> schedule = [&] {
    const LockReleased released;
    return family.schedule(problem);
  }();
  if (!schedule) raise_does_not_apply(family.name() + " does not apply: " + schedule.error());
  return {*std::move(schedule), false};
}

std::vector<Held> parsed(const std::string& text) {
  std::vector<Held> all;
  for (Schedule& schedule : parse_documents(text)) all.push_back({std::move(schedule), false});
  return all;
}

std::vector<Held> read(const std::string& file) {
  constexpr std::size_t most_mebibytes = 1024;
  const std::string label = fmt::format("'{}'", file);
  const FileText found = read_regular_file(file, most_mebibytes, label);
  if (found.error != 0) throw Error(ErrorCode::environment, fmt::format("cannot read {}: {}", label, std::strerror(found.error)));
  try {
    return parsed(found.text);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", label, error.what()));
  }
}

std::string text_of(const Schedule& schedule) {
  std::ostringstream out;
  write_text(out, schedule);
  return std::move(out).str();
}

std::string json_of(const Schedule& schedule) {
  std::ostringstream out;
  write_json(out, schedule);
  return std::move(out).str();
}

std::string drawn(Held& held, const std::string& picture, const std::optional<std::string>& topology) {
  const DrawOptions options{.findings = findings_of(held)};
  if (picture == "space-time") return draw_space_time(held.schedule, options);
  if (picture == "blocks") return draw_blocks(held.schedule, options);
  if (picture == "traffic") return draw_traffic(held.schedule, options);
  if (picture != "links")
    throw Error(ErrorCode::misuse, fmt::format("there is no picture '{}'; there are: space-time, blocks, links, traffic", picture));
  if (!topology) throw Error(ErrorCode::misuse, "links needs a network, such as topology='torus:4x4'");
  return draw_links(held.schedule, parse_topology(*topology), options);
}

// A notebook shows nothing where the picture would be too large.
std::optional<std::string> notebook_picture(Held& held) {
  try {
    return drawn(held, "space-time", {});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::too_large) throw;
    return std::nullopt;
  }
}

struct Page {
  std::string html;
};

Page viewed(Held& held, const std::optional<std::string>& topology) {
  std::optional<Topology> network;
  if (topology) network = parse_topology(*topology);
  ViewerPage page;
  page.add(described_trace(held.schedule, specification(held.schedule), network ? &*network : nullptr, findings_of(held)));
  return {html_of(page)};
}

void save(const Page& page, const std::string& file) {
  std::ofstream out(file, std::ios::binary);
  out << page.html;
  out.close();
  if (!out) throw Error(ErrorCode::environment, fmt::format("cannot write '{}'", file));
}

// The page inside a notebook's cell.
std::string framed(const Page& page) {
  std::string escaped;
  for (const char letter : page.html) {
    if (letter == '&')
      escaped += "&amp;";
    else if (letter == '"')
      escaped += "&quot;";
    else
      escaped += letter;
  }
  return fmt::format("<iframe width=\"100%\" height=\"640\" srcdoc=\"{}\"></iframe>", escaped);
}

struct MessageRow {
  Count round;
  Rank from, to;
  Bytes bytes;
  bool control;
};

py::array_t<MessageRow> message_rows(const Held& held) {
  py::module_::import("numpy");  // before the flag is read, because an import lets other threads run
  static bool is_known = false;  // the interpreter's lock guards it
  if (!is_known) {
    PYBIND11_NUMPY_DTYPE(MessageRow, round, from, to, bytes, control);
    is_known = true;
  }
  std::vector<MessageRow> rows;
  {
    const LockReleased released;
    for (const TracedMessage& message : trace_of(held.schedule).messages)
      rows.push_back({message.round, message.from, message.to, message.bytes, message.is_control});
  }
  return py::array_t<MessageRow>(static_cast<py::ssize_t>(rows.size()), rows.data());
}

py::dict record_of(const Finding& finding) {
  const Region region = finding.region.value_or(Region{});
  py::dict record(py::arg("rule") = std::string(name(finding.rule)), py::arg("rank") = finding.rank,
                  py::arg("stage") = finding.stage, py::arg("round") = finding.round, py::arg("memory") = py::none(),
                  py::arg("offset") = py::none(), py::arg("length") = py::none(), py::arg("message") = finding.message);
  if (finding.region) {
    record["memory"] = std::string(name(region.buffer));
    record["offset"] = region.offset;
    record["length"] = region.length;
  }
  return record;
}

py::dict record_of(const Figures& counted) {
  return py::dict(py::arg("c1") = counted.c1, py::arg("c2") = counted.c2, py::arg("ports") = counted.ports,
                  py::arg("startups") = counted.startups, py::arg("traffic_out") = counted.traffic_out,
                  py::arg("traffic_in") = counted.traffic_in, py::arg("scratch") = counted.scratch,
                  py::arg("control_bytes") = counted.control_bytes);
}

void add_report(py::module_& module) {
  py::class_<Finding>(module, "Finding", "A violation of a rule, with its place.")
      .def_property_readonly(
          "rule", [](const Finding& finding) { return std::string(name(finding.rule)); }, "The rule that is violated.")
      .def_readonly("rank", &Finding::rank, "None if the finding is of no rank.")
      .def_readonly("stage", &Finding::stage, "The name of the stage.")
      .def_readonly("round", &Finding::round, "From 0 on; None if the finding is of no round.")
      .def_readonly("region", &Finding::region, "The Region whose bytes are wrong, or None.")
      .def_readonly("message", &Finding::message, "One sentence.")
      .def("__repr__", [](const Finding& finding) { return printable(to_string(finding)); });
  py::class_<Report>(module, "Report", "The result of verifying a schedule. It is true if the schedule is right.")
      .def_readonly("findings", &Report::findings, "A list of Finding.")
      .def_property_readonly(
          "records",
          [](const Report& report) {
            py::list records;
            for (const Finding& finding : report.findings) records.append(record_of(finding));
            return records;
          },
          "A record (dict) of each finding: rule, rank, stage, round, memory, offset and length in bytes, message.")
      .def_property_readonly(
          "causes",
          [](const Report& report) {
            std::vector<std::string> causes;
            for (const FaultCause& cause : report.causes.causes) causes.push_back(cause.message);
            return causes;
          },
          "Sentences that say why there are findings.")
      .def("__bool__", &Report::is_right)
      .def("__str__", &Report::text)
      .def("__repr__", [](const Report& report) { return fmt::format("<Report: {}>", report.text()); });
  py::class_<Figures>(module, "Figures", "Counts of a schedule: start-ups, rounds, and bytes of the busiest rank.")
      .def_readonly("c1", &Figures::c1, "Rounds with a message.")
      .def_readonly("c2", &Figures::c2, "Bytes: the sum over the rounds of the longest message.")
      .def_readonly("ports", &Figures::ports, "The most messages that any rank sends, or receives, in one round.")
      .def_readonly("startups", &Figures::startups, "The most messages that any rank sends.")
      .def_readonly("traffic_out", &Figures::traffic_out, "The most bytes that any rank sends.")
      .def_readonly("traffic_in", &Figures::traffic_in, "The most bytes that any rank receives.")
      .def_readonly("scratch", &Figures::scratch, "The most bytes of scratch memory of any rank.")
      .def_readonly("control_bytes", &Figures::control_bytes, "Bytes of headers and of exchanged counts, over all ranks.")
      .def_property_readonly(
          "record", [](const Figures& counted) { return record_of(counted); }, "A dict of all counts, as a row for pandas.")
      .def(
          "__eq__", [](const Figures& one, const Figures& other) { return one == other; }, py::is_operator())
      .def("__repr__", [](const Figures& counted) {
        return fmt::format("<Figures: C1 {}, C2 {} B, {} ports, {} start-ups, {} B out, {} B in>", counted.c1, counted.c2,
                           counted.ports, counted.startups, counted.traffic_out, counted.traffic_in);
      });
  py::class_<Page>(module, "Page", "The page that replays a schedule in a browser.")
      .def_readonly("html", &Page::html, "The text of the page.")
      .def("save", &save, py::arg("file"), "Writes the page to a file.")
      .def("_repr_html_", &framed);
}

}  // namespace

void check_right(Held& held) {
  if (held.is_right) return;
  std::optional<Report> report;
  {
    const LockReleased released;
    report = verified(held, {}, {}, false, most_findings);
  }
  if (!report->is_right()) raise_wrong(report->text());
}

void add_schedule(py::module_& module) {
  add_report(module);
  py::class_<Held>(module, "Schedule", "What each rank sends, receives, copies and combines, round by round.")
      .def_property_readonly(
          "problem", [](const Held& held) { return held.schedule.problem; }, "The Problem that it solves.")
      .def_property_readonly(
          "algorithm", [](const Held& held) { return specification(held.schedule); }, "The algorithm with all its parameters.")
      .def_property_readonly("figures", py::cpp_function([](const Held& held) { return figures(held.schedule); }, WithoutLock()),
                             "The Figures: counts of rounds, messages and bytes.")
      .def(
          "verify", &verified, py::kw_only(), py::arg("ports") = py::none(), py::arg("topology") = py::none(),
          py::arg("strict") = false, py::arg("limit") = most_findings, WithoutLock(),
          "Replays the schedule and returns a Report. ports: messages that a rank may send in a round; with a topology and strict, "
          "messages that share a link are findings, too.")
      .def("check", &check_right, "Raises ScheduleError, with causes and findings, if the schedule is wrong.")
      .def("draw", &drawn, py::arg("picture") = "space-time", py::arg("topology") = py::none(), WithoutLock(),
           "The picture as SVG: space-time, blocks, traffic, or links (of a topology).")
      .def("_repr_svg_", &notebook_picture, WithoutLock())
      .def("view", &viewed, py::arg("topology") = py::none(), WithoutLock(), "The Page that replays the schedule in a browser.")
      .def_property_readonly("messages", &message_rows,
                             "A numpy array with a row for each message: round, from, to, bytes, control.")
      .def_property_readonly("text", py::cpp_function([](const Held& held) { return text_of(held.schedule); }, WithoutLock()),
                             "The schedule as a document of text.")
      .def_property_readonly("json", py::cpp_function([](const Held& held) { return json_of(held.schedule); }, WithoutLock()),
                             "The schedule as a document of JSON.")
      .def(
          "__eq__", [](const Held& one, const Held& other) { return is_same(one.schedule, other.schedule); }, WithoutLock(),
          py::is_operator())
      .def("__repr__", [](const Held& held) { return fmt::format("<Schedule: {}>", label_of(held.schedule)); })
      .def("__reduce__", [](const Held& held) {
        std::string text;
        {
          const LockReleased released;
          text = text_of(held.schedule);
        }
        return py::make_tuple(py::module_::import("quadrille").attr("_schedule_of"), py::make_tuple(text, held.is_right));
      });
  module.def(
      "schedule_of",
      [](const std::string& text, bool is_right) {
        Held held = std::move(parsed(text).front());
        held.is_right = is_right;
        return held;
      },
      WithoutLock());
  module.def("make_schedule", &made, py::arg("problem"), py::arg("algorithm") = "");
  module.def("parse", &parsed, py::arg("text"), WithoutLock(), "The schedules of a document, JSON or text.");
  module.def("read_all", &read, py::arg("file"), WithoutLock(), "The schedules of a file, JSON or text.");
}

}  // namespace quadrille::python
