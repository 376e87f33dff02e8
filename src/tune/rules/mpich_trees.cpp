// SPDX-License-Identifier: BSD-3-Clause
#include "tune/rules/mpich_trees.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "quadrille/error.hpp"
#include "quadrille/transports.hpp"

namespace quadrille {
namespace {

// A text that occurs in the tree of this layer only.
std::string_view mark_of(MpichLayer layer) {
  switch (layer) {
    case MpichLayer::device: return "\"composition=MPIDI_";
    case MpichLayer::shared_memory: return "\"algorithm=MPIDI_POSIX_";
    case MpichLayer::messages: return "\"algorithm=MPIR_Alltoall_";
  }
  return "";
}

bool is_leaf(std::string_view key) { return key.starts_with("algorithm=") || key.starts_with("composition="); }
bool is_of_communicator(std::string_view key) { return key.starts_with("comm_") || key.starts_with("is_node_consecutive"); }

}  // namespace

MpichTree mpich_tree(std::string_view library, MpichLayer layer) {
  // Each tree is stored as one string.
  constexpr std::string_view begin = "{\"collective=";
  for (std::size_t at = 0; (at = library.find(begin, at)) != library.npos; at += begin.size()) {
    const std::string_view text = library.substr(at, library.substr(at).find('\0'));
    if (text.find(mark_of(layer)) == text.npos) continue;
    if (MpichTree tree = MpichTree::parse(text, nullptr, false); tree.is_object()) return tree;
  }
  throw Error(ErrorCode::environment, "the table of algorithms that MPICH has built in is not in its library, where 4.0.2 has it");
}

std::string installed_mpich() {
  const std::string file = mpi_library_file("mpich");
  std::ifstream stream(file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream || bytes.empty()) throw Error(ErrorCode::environment, fmt::format("the library '{}' cannot be read", file));
  return bytes;
}

std::optional<std::string> leaf_for(const MpichTree& tree,
                                    const std::function<bool(std::string_view condition, MpichTime time)>& holds) {
  MpichTime time = MpichTime::communicator_is_made;
  for (const MpichTree* at = &tree; at->is_object();) {
    const MpichTree* below = nullptr;
    for (const auto& [key, value] : at->items()) {
      if (is_leaf(key)) return key.substr(key.find('=') + 1);
      if (!is_of_communicator(key)) time = MpichTime::call;
      if (!holds(key, time)) continue;
      below = &value;
      break;
    }
    if (!below) break;
    at = below;
  }
  return std::nullopt;
}

}  // namespace quadrille
