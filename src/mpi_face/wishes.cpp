// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/wishes.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <chrono>
#include <vector>

#include "foundation/environment.hpp"
#include "mpi_face/settings.hpp"
#include "plan/gathered.hpp"
#include "quadrille/error.hpp"

namespace quadrille::mpi_face {
namespace {

const auto loaded = std::chrono::steady_clock::now();  // when this library was loaded, which is close to the start of the process

// Collective: returns rank 0's text on all ranks.
std::string handed_out(Communicator& group, std::string mine) {
  const Count size = gathered(group, static_cast<Count>(mine.size()))[0];
  if (size == 0) return {};
  mine.resize(static_cast<std::size_t>(size));
  std::string all(static_cast<std::size_t>(size * group.size()), '\0');
  group.all_gather(mine.data(), all.data(), size);
  all.resize(static_cast<std::size_t>(size));
  return all;
}

Wishes parse_wishes(const std::string& choose, const std::string& tune) {
  Wishes wishes{.rules = parse_rules(choose)};
  for (std::string& sentence : wishes.rules.refused) sentence.insert(0, "QUADRILLE_CHOOSE: ");
  try {
    wishes.tune_share = parse_tune_share(tune);
  } catch (const Error& error) {
    wishes.rules.refused.push_back(error.what());
  }
  return wishes;
}

}  // namespace

Wishes shared_wishes(Communicator& group) {
  const bool is_first = group.rank() == 0;
  const std::string choose = handed_out(group, is_first ? environment_value("QUADRILLE_CHOOSE") : "");
  const std::string tune = handed_out(group, is_first ? environment_value("QUADRILLE_TUNE") : "");
  Wishes wishes = parse_wishes(choose, tune);
  static bool was_told = false;
  if (is_first && !std::exchange(was_told, true))
    for (const std::string& sentence : wishes.rules.refused) remark(sentence + "; it is ignored");
  return wishes;
}

TuneBudget& TuneBudget::of_process() {
  static TuneBudget budget;
  return budget;
}

bool TuneBudget::allows(double seconds, double share) const {
  return spent_s_ + seconds <= share * std::chrono::duration<double>(std::chrono::steady_clock::now() - loaded).count();
}

}  // namespace quadrille::mpi_face
