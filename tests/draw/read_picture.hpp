// SPDX-License-Identifier: BSD-3-Clause
// Reads pictures again, for tests.
#pragma once

#include <gtest/gtest.h>

#include <pugixml.hpp>

#include <string>
#include <vector>

namespace quadrille::testing {

struct Words {
  double x, y;
  std::string text;
};

// An SVG picture, parsed.
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

  std::size_t count(const char* shape, const std::string& kind) const {
    std::size_t found = 0;
    for (const auto node : root_.children(shape)) found += node.attribute("class").as_string() == kind ? 1 : 0;
    return found;
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

}  // namespace quadrille::testing
