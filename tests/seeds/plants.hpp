// SPDX-License-Identifier: BSD-3-Clause
// The faults that stand in the source behind is_planted (foundation/planted.hpp).
#pragma once

#include <array>

namespace quadrille::seeds {

inline constexpr std::array plants_of_engine{"flag relaxed",
                                             "flag read relaxed",
                                             "flag published early",
                                             "loan relaxed",
                                             "loan back early",
                                             "loan ended early",
                                             "progress relaxed",
                                             "closing relaxed",
                                             "area released early",
                                             "gathered memory released early",
                                             "sleep without fence",
                                             "sleep without a last look",
                                             "ring without fence",
                                             "doorbell relaxed",
                                             "doorbell lost",
                                             "arrival relaxed",
                                             "barrier reset late",
                                             "one half for all gathers",
                                             "death not noticed",
                                             "short read taken for whole",
                                             "list read early",
                                             "block reused early",
                                             "execution counted twice",
                                             "reduction run twice",
                                             "piece counted twice",
                                             "piece put early",
                                             "address of another rank",
                                             "edge lost",
                                             "slot reused early",
                                             "exchange finished early"};

inline constexpr std::array plants_of_nodes{"board read early", "page reused early", "packed edge moved", "row published early",
                                            "others not advanced"};

}  // namespace quadrille::seeds
