// SPDX-License-Identifier: BSD-3-Clause
// Draws panels as one picture.
#pragma once

#include <string>
#include <vector>

#include "draw/panel.hpp"

namespace quadrille {

// Draws panels under a title and a note, at most two in a row, as SVG. `Panel::sheet` is an index into `sheets`. There is at least
// one panel.
std::string draw_plot(const std::string& title, const std::string& note, const std::vector<Sheet>& sheets,
                      const std::vector<Panel>& panels);

}  // namespace quadrille
