// SPDX-License-Identifier: BSD-3-Clause
// Reads pages that `quadrille view` wrote.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "support/command.hpp"

namespace quadrille::testing {

// Returns the data of a page.
inline Json page_data(const std::string& html) {
  const std::string begin = "id=\"data\">";
  const std::size_t at = html.find(begin) + begin.size();
  return Json::parse(html.substr(at, html.find("</script>", at) - at));
}

// The file of an algorithm's page in a gallery.
inline std::string page_of(std::string_view collective, std::string_view algorithm) {
  std::string file = std::string(collective) + '-' + std::string(algorithm) + ".html";
  std::replace(file.begin(), file.end(), '_', '-');
  return file;
}

}  // namespace quadrille::testing
