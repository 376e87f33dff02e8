// SPDX-License-Identifier: BSD-3-Clause
// The trace of a projection as a page of the viewer: quadrille-timeline/1.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/projection.hpp"
#include "quadrille/recording.hpp"

namespace quadrille::command {

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
  // Numbers texts in the order in which they come.
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

}  // namespace quadrille::command
