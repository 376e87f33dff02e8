// SPDX-License-Identifier: BSD-3-Clause
// Makes layouts of traces (from their networks; without a network, from the nodes), traces of schedules, and pages of the viewer.
#include "draw/viewer_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

#include "foundation/system/files.hpp"
#include "foundation/text/printable.hpp"
#include "foundation/text/wording.hpp"
#include "problem/problem_text.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/fault_cause.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

// The network of a trace as a topology. It has the vertices and links; routes are known only for the messages of the trace.
class RecordedNetwork : public Network {
 public:
  RecordedNetwork(const TracedNetwork& network, Count ranks) : network_(network), ranks_(ranks) {
    for (std::size_t i = 0; i < network_.links.size(); ++i) {
      const Link& link = network_.links[i];
      by_vertex_[link.from].push_back(link);
      by_number_[link.number] = i;
    }
    for (auto& [vertex, links] : by_vertex_)
      std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) { return a.number < b.number; });
  }

  Count ranks() const override { return ranks_; }
  Count vertices() const override { return network_.vertices; }
  std::vector<Count> grid() const override { return is_grid() ? network_.grid : std::vector<Count>(); }
  Count link_count() const override { return size(network_.links); }
  Count link_numbers() const override { return by_number_.empty() ? 0 : by_number_.rbegin()->first + 1; }
  Link link(Count number) const override { return network_.links[by_number_.at(number)]; }
  std::vector<Link> links_from(Vertex vertex) const override {
    const auto found = by_vertex_.find(vertex);
    return found == by_vertex_.end() ? std::vector<Link>() : found->second;
  }
  std::string text_of(const Link& link) const override { return network_.link_texts[by_number_.at(link.number)]; }
  Count distance(Rank, Rank) const override { throw Error(ErrorCode::misuse, no_routes); }
  Result<> for_each_link(Rank, Rank, const std::optional<Port>&, const LinkVisitor&) const override { return cannot(no_routes); }
  bool append_way(Rank, Rank, const std::optional<Port>&, std::vector<Count>&) const override { return false; }
  Bytes exchange_load(Bytes) const override { return 0; }

 private:
  // A file may state any sides.
  bool is_grid() const {
    Count places = 1;
    for (const Count side : network_.grid) {
      const auto more = checked_product(places, side);
      if (side < 1 || !more) return false;
      places = *more;
    }
    return places == ranks_ && network_.vertices == ranks_;
  }

  static constexpr const char* no_routes = "a trace has the routes of its messages only";

  TracedNetwork network_;
  Count ranks_;
  std::map<Vertex, std::vector<Link>> by_vertex_;
  std::map<Count, std::size_t> by_number_;
};

bool is_wide(const std::vector<Count>& grid) {
  return std::count_if(grid.begin(), grid.end(), [](Count side) { return side > 1; }) > 1;
}

constexpr double node_layout_room_for_rank = 38, border_of_node = 10, node_layout_room_for_name = 14,
                 node_layout_between_nodes = 34;
constexpr Count longest_row = 8;  // of ranks

void add_findings(Trace& trace, const Schedule& schedule, const std::vector<Finding>& findings) {
  const FaultCauses found = causes_of(schedule, findings);
  for (const std::size_t i : order_of(findings, found)) {
    const Finding& finding = findings[i];
    trace.findings.push_back({.rule = std::string(name(finding.rule)),
                              .text = finding.message,
                              .rank = finding.rank,
                              .stage = finding.stage,
                              .round = finding.round,
                              .region = finding.region});
  }
  auto finding = trace.findings.begin();
  for (std::size_t i = 0; i < found.causes.size(); ++i) {
    const FaultCause& cause = found.causes[i];
    for (const auto end = finding + size(cause.findings); finding != end; ++finding) {
      finding->cause = static_cast<Count>(i);
      const bool is_said = cause.kind == CauseKind::rule || cause.message.find(finding->text) != std::string::npos;
      if (!is_said) finding->text += "; the cause: " + cause.message;
    }
  }
}

void add_bounds(Trace& trace, const Schedule& schedule, const Topology* topology) {
  const Figures counted = figures(schedule);
  std::vector<Bound> bounds = lower_bounds(schedule.problem, counted.ports, counted.c1);
  if (topology && topology->capacities().of_links.empty())  // the page counts messages on links without their capacities
    for (Bound& bound : lower_bounds(schedule.problem, *topology)) bounds.push_back(std::move(bound));
  for (Bound& bound : bounds) trace.bounds.push_back({std::move(bound.figure), bound.value, std::move(bound.source)});
}

}  // namespace

NetworkLayout layout_of(const Trace& trace) {
  const Problem& problem = trace.problem;
  if (trace.network)
    return layout_of(Topology(trace.network->topology, std::make_shared<RecordedNetwork>(*trace.network, problem.ranks)));
  const auto nodes = static_cast<Count>(std::set<Count>(problem.nodes.begin(), problem.nodes.end()).size());
  if (nodes > 1 && nodes < problem.ranks) return node_layout(problem.nodes);
  NetworkLayout layout = layout_of(is_wide(problem.grid) ? Topology::mesh(problem.grid) : Topology::full(problem.ranks));
  layout.stubs.clear();
  return layout;
}

NetworkLayout node_layout(const std::vector<Count>& nodes) {
  std::map<Count, std::vector<Rank>> members;
  Count most = 0;
  for (Rank rank = 0; rank < size(nodes); ++rank) {
    std::vector<Rank>& ranks = members[nodes[index(rank)]];
    ranks.push_back(rank);
    most = std::max(most, size(ranks));
  }
  const auto count = static_cast<Count>(members.size());
  const Count columns =
      most <= longest_row ? most : std::max(longest_row, static_cast<Count>(std::ceil(std::sqrt(2 * static_cast<double>(most)))));
  const double width = extent(columns, node_layout_room_for_rank) + 2 * border_of_node,
               height = extent(ceil_divide(most, columns), node_layout_room_for_rank) + node_layout_room_for_name + border_of_node;
  const double step_x = width + node_layout_between_nodes, step_y = height + node_layout_between_nodes;
  const Count in_a_row = std::clamp<Count>(std::lround(std::sqrt(static_cast<double>(count) * 1.4 * step_y / step_x)), 1, count);
  NetworkLayout layout;
  layout.vertices.resize(nodes.size());
  Count place = 0;
  for (const auto& [node, ranks] : members) {
    const Box box{extent(place % in_a_row, step_x), extent(place / in_a_row, step_y), width, height};
    for (Count i = 0; i < size(ranks); ++i)
      layout.vertices[ranks[index(i)]] = {
          {box.x + border_of_node + extent(i % columns, node_layout_room_for_rank) + node_layout_room_for_rank / 2,
           box.y + node_layout_room_for_name + extent(i / columns, node_layout_room_for_rank) + node_layout_room_for_rank / 2},
          fmt::format("{}", ranks[index(i)])};
    layout.parts.push_back({box, fmt::format("node {}", node), {box.x + width / 2, box.y + node_layout_room_for_name}});
    ++place;
  }
  layout.width = extent(in_a_row, step_x) - node_layout_between_nodes;
  layout.height = extent(ceil_divide(count, in_a_row), step_y) - node_layout_between_nodes;
  return layout;
}

Trace described_trace(const Schedule& schedule, const std::string& label, const Topology* topology,
                      const std::vector<Finding>& findings) {
  Trace trace = trace_of(schedule, topology);
  trace.title = fmt::format("{}, {}, {}", name(schedule.problem.collective), printable(label), problem_text(schedule.problem));
  if (const std::set<Count> nodes(schedule.problem.nodes.begin(), schedule.problem.nodes.end()); !nodes.empty())
    trace.title += fmt::format(", on {}", counted(static_cast<Count>(nodes.size()), "node"));
  if (topology) trace.title += fmt::format(", {}", topology->name());
  if (findings.empty())
    add_bounds(trace, schedule, topology);
  else
    add_findings(trace, schedule, findings);
  return trace;
}

namespace {

using Json = nlohmann::ordered_json;

// A file that is installed beside the library.
// `advice` is the error if there is no such file.
std::string installed(const char* name, std::string_view advice = "") {
  constexpr std::size_t most_mebibytes = 64;
  const std::string file = library_folder() / name, label = fmt::format("'{}'", file);
  FileText read = read_regular_file(file, most_mebibytes, label);
  if (read.error == ENOENT && !advice.empty()) throw Error(ErrorCode::environment, std::string(advice));
  if (read.error != 0) throw Error(ErrorCode::environment, fmt::format("cannot read {}: {}", label, std::strerror(read.error)));
  return std::move(read.text);
}

// The page that viewer/ builds.
const std::string& built_page() {
  static const std::string page = installed("viewer.html");
  return page;
}

struct Part {
  std::size_t begin = 0, length = 0;
};

// Finds what is between two texts of the built page.
Part between(std::string_view before, std::string_view after) {
  const std::string& page = built_page();
  const std::size_t begin = page.find(before) + before.size(), end = page.find(after, begin);
  return {begin, end - begin};
}

constexpr std::string_view policy_begins = "Content-Security-Policy\" content=\"", data_begins = "id=\"data\">";

Part policy() { return between(policy_begins, "\">"); }
Part style() { return between("<style>", "</style>"); }
Part data() { return between(data_begins, "</script>"); }
Part script() { return between("<script>", "</script>"); }

std::string text_of(const Part& part) { return built_page().substr(part.begin, part.length); }

Json number_of(double pixels) { return std::round(10 * pixels) / 10; }  // shorter; the rest would not be visible

Json direction_of(double part) { return std::round(1000 * part) / 1000; }

template <class List, class Value>
Json list_of(const List& list, Value&& value) {
  Json array = Json::array();
  for (const auto& each : list) array.push_back(value(each));
  return array;
}

// Returns null if a network from a file has vertices without a place, such as switches that have only incoming links.
Json json_of(const NetworkLayout& layout, Count ranks) {
  for (const LayoutVertex& vertex : layout.vertices)
    if (!std::isfinite(vertex.centre.x) || !std::isfinite(vertex.centre.y)) return nullptr;
  Json names = Json::array(), parts = Json::array();
  for (Vertex vertex = ranks; vertex < static_cast<Vertex>(layout.vertices.size()); ++vertex)
    names.push_back(layout.vertices[vertex].name);
  for (const LayoutPart& part : layout.parts) {
    Json object{{"name", part.name},
                {"x", number_of(part.box.x)},
                {"y", number_of(part.box.y)},
                {"width", number_of(part.box.width)},
                {"height", number_of(part.box.height)},
                {"name_x", number_of(part.name_at.x)},
                {"name_y", number_of(part.name_at.y)}};
    if (part.is_round) object["round"] = true;
    parts.push_back(std::move(object));
  }
  return {{"width", number_of(layout.width)},
          {"height", number_of(layout.height)},
          {"radius", rank_radius},
          {"stub", stub_length},
          {"x", list_of(layout.vertices, [](const LayoutVertex& vertex) { return number_of(vertex.centre.x); })},
          {"y", list_of(layout.vertices, [](const LayoutVertex& vertex) { return number_of(vertex.centre.y); })},
          {"switches", std::move(names)},
          {"parts", std::move(parts)},
          {"stubs",
           {{"link", list_of(layout.stubs, [](const auto& stub) { return stub.first; })},
            {"x", list_of(layout.stubs, [](const auto& stub) { return direction_of(stub.second.x); })},
            {"y", list_of(layout.stubs, [](const auto& stub) { return direction_of(stub.second.y); })}}}};
}

// In JSON "<" occurs in strings only. It is written as an escape, so that no string can end the element that holds the data.
std::string as_script_data(std::string_view json) {
  std::string escaped;
  for (const char letter : json) {
    if (letter == '<')
      escaped += "\\u003c";
    else
      escaped += letter;
  }
  return escaped;
}

std::string data_of(const ViewerPage& page) {
  nlohmann::ordered_json head{{"format", "quadrille-page/1"}};
  if (!page.title.empty()) head["title"] = page.title;
  if (!page.text.empty()) head["text"] = page.text;
  if (!page.links.empty()) head["links"] = page.links;
  if (!page.sections.empty()) head["sections"] = page.sections;
  if (!page.machines.is_null()) head["machines"] = page.machines;
  if (!page.layouts.empty()) head["layouts"] = page.layouts;
  std::string text = head.dump();
  text.pop_back();
  text += ",\"documents\":[";
  for (std::size_t i = 0; i < page.documents.size(); ++i) text += (i == 0 ? "" : ",") + page.documents[i];
  return text + "]}";
}

}  // namespace

void ViewerPage::add(const Trace& trace) {
  std::ostringstream out;
  write_trace(out, trace);
  documents.push_back(out.str());
  layouts.push_back(json_of(layout_of(trace), trace.problem.ranks));
}

std::string viewer_script() { return text_of(script()); }
std::string viewer_style() { return text_of(style()); }

std::string browser_verifier() {
  return installed(
      "verifier.js",
      "a course needs the verifier for browsers, which has not been built: install Debian's package emscripten, and run "
      "'cmake --build build/release --target quadrille_browser_verifier' where the library was built");
}

std::string html_of(const ViewerPage& page, bool shares_viewer) {
  struct Change {
    Part part;
    std::string text;
  };
  std::vector<Change> changes;
  changes.reserve(4);
  changes.push_back({data(), as_script_data(data_of(page))});
  if (shares_viewer) {
    // The page's policy has hashes of the script and the style in the page. These hashes do not allow files.
    // The page of the editor runs WebAssembly and workers, which inherit this policy, and plays schedules in a frame.
    const std::string_view more = page.machines.is_null() ? "" : " 'wasm-unsafe-eval'; worker-src blob:; frame-src 'self' file:";
    changes.push_back(
        {policy(),
         fmt::format("default-src 'none'; style-src 'self' file:; img-src 'self' file:; base-uri 'none'; form-action 'none'; "
                     "script-src 'self' file:{}",
                     more)});
    const auto replace = [&](Part part, std::string_view begin, std::string_view end, std::string text) {
      part.begin -= begin.size();
      part.length += begin.size() + end.size();
      changes.push_back({part, std::move(text)});
    };
    replace(style(), "<style>", "</style>", "<link rel=\"stylesheet\" href=\"viewer.css\">");
    replace(script(), "<script>", "</script>", "<script src=\"viewer.js\"></script>");
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.part.begin > b.part.begin; });
  std::string html = built_page();
  for (const Change& change : changes) html.replace(change.part.begin, change.part.length, change.text);
  return html;
}

}  // namespace quadrille
