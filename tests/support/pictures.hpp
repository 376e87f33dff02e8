// SPDX-License-Identifier: BSD-3-Clause
// Reads pictures again, and a wrong schedule to draw.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "quadrille/algorithm.hpp"

namespace quadrille::testing {

// A text of a picture, and its place.
struct Words {
  double x, y;
  std::string text;
};

// A picture as SVG, read again.
class Read {
 public:
  explicit Read(const std::string& svg) {
    const auto result = document_.load_string(svg.c_str());
    EXPECT_TRUE(result) << result.description();
    root_ = document_.child("svg");
    EXPECT_GT(root_.attribute("width").as_double(), 0);
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

  std::vector<Words> words(const std::string& kind = {}) const {
    std::vector<Words> list;
    for (const auto node : root_.children("text"))
      if (kind.empty() || node.attribute("class").as_string() == kind)
        list.push_back({node.attribute("x").as_double(), node.attribute("y").as_double(), node.text().get()});
    return list;
  }

  std::vector<std::string> texts() const {
    std::vector<std::string> list;
    for (const Words& entry : words()) list.push_back(entry.text);
    return list;
  }

  // Checks that all coordinates lie inside the picture.
  void expect_inside() const {
    const double width = root_.attribute("width").as_double(), height = root_.attribute("height").as_double();
    for (const auto node : root_.children("rect")) {
      EXPECT_LE(node.attribute("x").as_double() + node.attribute("width").as_double(), width);
      EXPECT_LE(node.attribute("y").as_double() + node.attribute("height").as_double(), height);
    }
    for (const Words& entry : words()) {
      EXPECT_LE(entry.x, width) << entry.text;
      EXPECT_LE(entry.y, height) << entry.text;
    }
  }

 private:
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
