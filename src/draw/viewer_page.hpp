// SPDX-License-Identifier: BSD-3-Clause
// Pages of the viewer (viewer/): one HTML file with the viewer and its data, or pages that share the viewer's files.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "quadrille/trace.hpp"

namespace quadrille {

inline constexpr Count most_viewed_ranks = 1024;  // as in viewer/src/load/problem.ts

// The data of a page: the documents that it shows, with a title, a text and links to other pages, each of which may be empty. The
// documents are JSON texts.
struct ViewerPage {
  std::string title, text;
  nlohmann::ordered_json links = nlohmann::ordered_json::array();  // {"text", "file"}
  nlohmann::ordered_json sections =
      nlohmann::ordered_json::array();  // of an index: {"title", "pages": [{"text", "file", "about"}]}
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

}  // namespace quadrille
