// SPDX-License-Identifier: BSD-3-Clause
#include "problem/collective_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "foundation/text/nearest.hpp"
#include "problem/collective_facts.hpp"

namespace quadrille {
namespace {

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Collective each : all_collectives()) names.emplace_back(name(each));
  return names;
}

// Returns the function's name as in mpi_name: in small letters, without what stands before the last '.' or ':' (q.bcast), without
// "MPI_" or "PMPI_", and without the endings "_init" and "_c".
std::string plain(std::string_view function) {
  std::string word(function.substr(function.find_last_of(".:") + 1));  // npos + 1 is 0
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const std::string_view mark : {"pmpi_", "mpi_"})
    if (word.starts_with(mark)) word.erase(0, mark.size());
  for (const std::string_view mark : {"_c", "_init"})
    if (word.ends_with(mark)) word.erase(word.size() - mark.size());
  return word;
}

}  // namespace

std::optional<Collective> collective_of_mpi(std::string_view function) {
  const std::string word = plain(function);
  for (const Collective each : all_collectives())
    if (word == mpi_name(each) || word == 'i' + mpi_name(each)) return each;
  return std::nullopt;
}

std::optional<std::string> nearest_collective(std::string_view word) {
  if (const auto collective = collective_of_mpi(word)) return std::string(name(*collective));
  return nearest(plain(word), all_names());
}

std::string unknown_collective(std::string_view word, std::string_view what) {
  const auto guess = nearest_collective(word);
  return fmt::format(
      "there is no {} '{}'; {}", what, word,
      guess ? fmt::format("did you mean '{}'?", *guess) : fmt::format("there are: {}", fmt::join(all_names(), ", ")));
}

}  // namespace quadrille
