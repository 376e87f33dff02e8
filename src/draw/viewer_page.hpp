// SPDX-License-Identifier: BSD-3-Clause
// Pages of the viewer (viewer/): one HTML file with the viewer and its data, or pages that share the viewer's files. Also what
// pages show with a trace: a layout of its network or its ranks, and facts about its schedule from other parts of the library.
// The picture and the page in the browser place the parts of a network in the same way, because both call layout_of.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "draw/layout.hpp"
#include "quadrille/topology.hpp"
#include "quadrille/trace.hpp"
#include "quadrille/verify.hpp"

namespace quadrille {

// Returns the layout of the trace's network, whose links have the same numbers. If a trace has no network, its ranks are drawn in
// their nodes. If it has no nodes either, the ranks are on their grid, or on a circle if they have no grid. These layouts have no
// stubs.
NetworkLayout layout_of(const Trace& trace);

// Returns a box for each node, in the order of their numbers, with its ranks in rows. `nodes`: the node of each rank.
NetworkLayout node_layout(const std::vector<Count>& nodes);

// Returns the trace with logical time. `label` names the algorithm in the title. If there are no findings, the trace has lower
// bounds.
Trace described_trace(const Schedule& schedule, const std::string& label, const Topology* topology,
                      const std::vector<Finding>& findings);

inline constexpr Count most_viewed_ranks = 1024;  // as in viewer/src/load/problem.ts

// The data of a page: the documents that it shows, with a title, a text and links to other pages, each of which may be empty. The
// documents are JSON texts.
struct ViewerPage {
  std::string title, text;
  nlohmann::ordered_json links = nlohmann::ordered_json::array();  // {"text", "file"}
  nlohmann::ordered_json sections =
      nlohmann::ordered_json::array();  // of an index: {"title", "pages": [{"text", "file", "about"}]}
  // Of the page on which readers write schedules: {"name", "about", "file"}, with the text of the machine's file. Null: another
  // page.
  nlohmann::ordered_json machines = nullptr;
  std::vector<std::string> documents;
  nlohmann::ordered_json layouts =
      nlohmann::ordered_json::array();  // of each document that is a trace; none for results of race, tune and report

  // Adds a trace as a document, with the layout in which `quadrille draw` shows its network.
  void add(const Trace& trace);
};

// The page as HTML. With `shares_viewer` it loads viewer.js and viewer.css from its own folder.
std::string html_of(const ViewerPage& page, bool shares_viewer = false);

// The contents of viewer.js and viewer.css.
std::string viewer_script();
std::string viewer_style();

// The contents of verifier.js, which viewer/scripts/verifier.sh makes. Throws Error{environment} if it was not built.
std::string browser_verifier();

}  // namespace quadrille
