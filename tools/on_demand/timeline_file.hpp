// SPDX-License-Identifier: BSD-3-Clause
// The file of `quadrille project --trace`: a trace for Perfetto, or a page of the viewer.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "on_demand/project_report.hpp"
#include "quadrille/projection.hpp"
#include "quadrille/recording.hpp"
#include "recording/totals.hpp"
#include "support/output.hpp"
#include "trace/perfetto.hpp"

namespace quadrille::command {

// The trace of a projection for Perfetto: one process for the MPI library's collectives and one for ours, each with a track for
// each rank.
class ProjectionTrace {
 public:
  // `vendor_title`: "Open MPI 4.1". `place`: place_text.
  ProjectionTrace(std::ostream& out, const Recording& recording, std::string_view vendor_title, std::string_view place);

  void add(const ProjectedPiece& piece);

 private:
  PerfettoPackets packets_;
  const Recording& recording_;
  std::array<std::vector<std::uint64_t>, 2> tracks_;  // by side and rank
};

// The trace of a projection as a page of the viewer: quadrille-timeline/1.
class ProjectionPage {
 public:
  // Throws Error{misuse} if there are more ranks than a page shows.
  explicit ProjectionPage(const Recording& recording);

  void add(const ProjectedPiece& piece);

  struct Words {
    std::string title, sentence, text;
    std::array<std::string, 2> sides;
  };
  std::string html(const Words& words) const;

 private:
  struct Piece {
    std::int64_t begin_ns, end_ns;
    std::size_t part, name, detail;
    Rank last_rank;
  };
  // Numbers texts in the order in which they are first used.
  class Texts {
   public:
    std::size_t operator()(const std::string& text);
    const std::vector<std::string>& all() const { return all_; }

   private:
    std::map<std::string, std::size_t> numbers_;
    std::vector<std::string> all_;
  };

  const Recording& recording_;
  std::array<std::vector<std::vector<Piece>>, 2> pieces_;  // by side and rank
  Texts names_, details_;
};

class TimelineFile {
 public:
  // `window`: seconds of the recorded run, "2..3.5", "2.." or "..3.5"; nothing: all. Throws Error{misuse}.
  TimelineFile(const std::string& file, const std::optional<std::string>& window);

  // Makes the projection report its pieces to this object. Throws Error{misuse} if nothing was recorded in the window.
  void watch(const Recording& recording, const ProjectedSituation& situation, ProjectionOptions& projected);

  // Returns a sentence on what the file has.
  std::string finish(const Projection& projection, const ProjectedSituation& situation);

 private:
  const std::string file_;
  const bool is_page_;
  Output output_;
  recording::RecordedWindow window_;
  std::optional<ProjectionTrace> trace_;
  std::optional<ProjectionPage> page_;
};

}  // namespace quadrille::command
