// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/wishes.hpp"

#include <algorithm>
#include <atomic>
#include <string_view>
#include <utility>

#include "foundation/environment.hpp"
#include "mpi_face/settings.hpp"
#include "quadrille/error.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr char between = '\n';

}  // namespace

std::string text_of_wishes() {
  const std::string choose = environment_value("QUADRILLE_CHOOSE"), tune = environment_value("QUADRILLE_TUNE");
  return choose.empty() && tune.empty() ? std::string() : choose + between + tune;
}

Wishes parse_wishes(const std::string& text, bool tells) {
  const std::size_t end = std::min(text.rfind(between), text.size());
  Wishes wishes{.rules = parse_rules(std::string_view(text).substr(0, end))};
  for (std::string& sentence : wishes.rules.refused) sentence.insert(0, "QUADRILLE_CHOOSE: ");
  try {
    wishes.tune_share = parse_tune_share(std::string_view(text).substr(std::min(end + 1, text.size())));
  } catch (const Error& error) {
    wishes.rules.refused.push_back(error.what());
  }
  static std::atomic<bool> was_told = false;
  if (tells && !was_told.exchange(true))
    for (const std::string& sentence : wishes.rules.refused) remark(sentence + "; it is ignored");
  return wishes;
}

}  // namespace quadrille::mpi_face
