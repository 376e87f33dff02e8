// SPDX-License-Identifier: BSD-3-Clause
// Price lists, as text or as JSON.
#pragma once

#include <string>
#include <vector>

#include "reports/prices.hpp"
#include "support/json.hpp"

namespace quadrille::command {

std::string text_of(const std::vector<PriceList>& lists, const Pricer& pricer);
Json json_of(const PriceList& list, const Pricer& pricer);

}  // namespace quadrille::command
