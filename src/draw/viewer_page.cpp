// SPDX-License-Identifier: BSD-3-Clause
#include "draw/viewer_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <utility>

#include "draw/trace_view.hpp"
#include "foundation/system/files.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

using Json = nlohmann::ordered_json;

// The page that viewer/ builds, installed beside the library.
const std::string& built_page() {
  static const std::string page = [] {
    constexpr std::size_t most_mebibytes = 64;
    const std::string file = library_folder() / "viewer.html", label = fmt::format("'{}'", file);
    FileText read = read_regular_file(file, most_mebibytes, label);
    if (read.error != 0) throw Error(ErrorCode::environment, fmt::format("cannot read {}: {}", label, std::strerror(read.error)));
    return std::move(read.text);
  }();
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

Json number_of(double pixels) { return std::round(10 * pixels) / 10; }  // shorter, and nobody sees the rest

Json direction_of(double part) { return std::round(1000 * part) / 1000; }

template <class List, class Value>
Json list_of(const List& list, Value&& value) {
  Json array = Json::array();
  for (const auto& each : list) array.push_back(value(each));
  return array;
}

// Returns null if a file's network has vertices without a place, such as switches to which links lead, but from which none do.
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

// In JSON "<" occurs in strings only. Written as an escape it cannot end the element that holds the data.
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

std::string html_of(const ViewerPage& page, bool shares_viewer) {
  struct Change {
    Part part;
    std::string text;
  };
  std::vector<Change> changes;
  changes.reserve(4);
  changes.push_back({data(), as_script_data(data_of(page))});
  if (shares_viewer) {
    // The hashes of a page's own script and style do not hold for files.
    changes.push_back(
        {policy(), "default-src 'none'; script-src 'self' file:; style-src 'self' file:; base-uri 'none'; form-action 'none'"});
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
