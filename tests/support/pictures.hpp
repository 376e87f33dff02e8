// SPDX-License-Identifier: BSD-3-Clause
// Reads pictures again, and a wrong schedule to draw.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "draw/svg.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille::testing {

// A text of a picture, and its place.
struct PictureWords {
  double x, y;
  std::string text;
};

// An attribute of a shape.
inline double number(const pugi::xml_node& node, const char* name) { return node.attribute(name).as_double(); }

// A picture as SVG, read again.
class Read {
 public:
  explicit Read(const std::string& svg) {
    const auto result = document_.load_string(svg.c_str());
    EXPECT_TRUE(result) << result.description();
    root_ = document_.child("svg");
    EXPECT_GT(width(), 0);
  }

  std::vector<std::string> explanations(const char* shape, const std::string& kind = {}) const {
    std::vector<std::string> list;
    for (const auto node : root_.children(shape))
      if (node.child("title") && (kind.empty() || node.attribute("class").as_string() == kind))
        list.emplace_back(node.child("title").text().get());
    return list;
  }

  // Returns the shapes that have an explanation with these words.
  std::vector<pugi::xml_node> explained(const std::string& part) const {
    std::vector<pugi::xml_node> list;
    for (const auto node : root_.children())
      if (std::string(node.child("title").text().get()).find(part) != std::string::npos) list.push_back(node);
    return list;
  }

  // Returns the paths of curves in a colour, without those that have explanations.
  std::vector<std::string> paths(const std::string& colour) const {
    std::vector<std::string> list;
    for (const auto node : root_.children("path"))
      if (node.attribute("stroke").as_string() == colour && !node.child("title"))
        list.emplace_back(node.attribute("d").as_string());
    return list;
  }

  // Returns how many texts are not horizontal.
  std::size_t turned() const {
    std::size_t count = 0;
    for (const auto node : root_.children("text")) count += node.attribute("transform") ? 1 : 0;
    return count;
  }

  std::size_t count(const char* shape, const std::string& kind) const {
    std::size_t found = 0;
    for (const auto node : root_.children(shape)) found += node.attribute("class").as_string() == kind ? 1 : 0;
    return found;
  }

  std::vector<PictureWords> words(const std::string& kind = {}) const {
    std::vector<PictureWords> list;
    for (const auto node : root_.children("text"))
      if (kind.empty() || node.attribute("class").as_string() == kind)
        list.push_back({node.attribute("x").as_double(), node.attribute("y").as_double(), node.text().get()});
    return list;
  }

  std::vector<std::string> texts() const {
    std::vector<std::string> list;
    for (const PictureWords& entry : words()) list.push_back(entry.text);
    return list;
  }

  // Returns a text of the picture for each pair of texts that overlap, by the widths that the code itself assumes; and for each
  // text that a cross covers.
  std::vector<std::string> covered_texts() const {
    std::vector<std::pair<Box, std::string>> boxes;
    std::vector<std::string> covered;
    for (const auto node : root_.children("text"))
      if (!node.attribute("transform")) boxes.emplace_back(box_of(node), node.text().get());
    for (std::size_t i = 0; i < boxes.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (overlap(boxes[i].first, boxes[j].first)) covered.push_back(boxes[j].second + " / " + boxes[i].second);
    for (const Box& cross : crosses())
      for (const auto& [box, text] : boxes)
        if (overlap(box, cross)) covered.push_back("cross / " + text);
    return covered;
  }

  // Returns the squares that the crosses fill.
  std::vector<Box> crosses() const {
    std::vector<Box> list;
    for (const auto node : root_.children("path")) {
      if (node.attribute("class").as_string() != std::string("fault")) continue;
      double x = 0, y = 0, right = 0, bottom = 0;
      if (std::sscanf(node.attribute("d").as_string(), "M%lf %lfL%lf %lf", &x, &y, &right, &bottom) == 4)
        list.push_back({x, std::min(y, bottom), right - x, std::abs(bottom - y)});
    }
    return list;
  }

  pugi::xml_node root() const { return root_; }
  double width() const { return number(root_, "width"); }
  double height() const { return number(root_, "height"); }

  // The texts that are exactly these words.
  std::vector<PictureWords> all(const std::string& text) const {
    std::vector<PictureWords> list = words();
    std::erase_if(list, [&](const PictureWords& entry) { return entry.text != text; });
    return list;
  }

  void expect_no_covered_text() const { EXPECT_EQ(covered_texts(), std::vector<std::string>{}) << texts().front(); }

  // Checks that no text reaches further to the right, by the widths that the code itself assumes for texts of this size.
  void expect_texts_left_of(double right, double size = 12) const {
    for (const PictureWords& entry : words()) EXPECT_LE(entry.x + text_width(entry.text, size), right) << entry.text;
  }

  // Checks that all coordinates lie inside the picture.
  void expect_inside() const {
    for (const auto node : root_.children("rect")) {
      EXPECT_LE(number(node, "x") + number(node, "width"), width());
      EXPECT_LE(number(node, "y") + number(node, "height"), height());
    }
    for (const PictureWords& entry : words()) {
      EXPECT_LE(entry.x, width()) << entry.text;
      EXPECT_LE(entry.y, height()) << entry.text;
    }
  }

 private:
  static bool overlap(const Box& a, const Box& b) {
    constexpr double slack = 0.11;  // coordinates are rounded to tenths
    return a.x + slack < b.x + b.width && b.x + slack < a.x + a.width && a.y + slack < b.y + b.height &&
           b.y + slack < a.y + a.height;
  }

  // Returns the box of a text: from the height of its capitals to its base line.
  static Box box_of(const pugi::xml_node& node) {
    const std::string text = node.text().get(), anchor = node.attribute("text-anchor").as_string();
    const double size = node.attribute("font-size").as_double(), width = text_width(text, size);
    const double x = node.attribute("x").as_double() - (anchor == "middle" ? width / 2 : anchor == "end" ? width : 0);
    return {x, node.attribute("y").as_double() - 0.72 * size, width, 0.72 * size};
  }

  pugi::xml_document document_;
  pugi::xml_node root_;
};

// Rank 0 does not send to rank 4 in round 2, and rank 3 sends a wrong block to rank 0 in round 1.
inline Schedule wrong_bruck() {
  Schedule schedule = make_schedule(Problem::alltoall(5, 8), "bruck:radix=2");
  schedule.symmetry.reset();
  schedule.program = [made = schedule.program](Rank rank) {
    Program program = made(rank);
    for (Round& round : program.rounds) {
      if (rank == 0 && round.number == 2) round.sends.clear();
      if (rank == 3 && round.number == 1) round.sends.front().regions = {{Buffer::input, 0, 8, {}}, {Buffer::output, 16, 8, {}}};
    }
    return program;
  };
  return schedule;
}

inline std::size_t count_of(const std::vector<std::string>& list, const std::string& part) {
  return static_cast<std::size_t>(
      std::count_if(list.begin(), list.end(), [&](const std::string& entry) { return entry.find(part) != std::string::npos; }));
}

}  // namespace quadrille::testing
