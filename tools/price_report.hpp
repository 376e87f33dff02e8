// SPDX-License-Identifier: BSD-3-Clause
// Price lists for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "json.hpp"
#include "prices.hpp"

namespace quadrille::command {

std::string text_of(const std::vector<PriceList>& lists, const Pricer& pricer);
Json json_of(const PriceList& list, const Pricer& pricer);

}  // namespace quadrille::command
