// SPDX-License-Identifier: BSD-3-Clause
// Nodes in rows of equal length, the last perhaps shorter, and how every node of a row, or of a column, sends to every other
// without two messages ever meeting at a node [liu2002, with the stall step corrected].
//
// A column that the last row does not reach is *incomplete*. What the last row has for it takes a detour: the node of the last
// row in column m sends to the one in row m of the incomplete column, an *additional* message. Where a row gets one, its nodes
// *stall* for a step each.
#pragma once

#include <optional>

#include "quadrille/types.hpp"

namespace quadrille {

class NodeArray {
 public:
  // `columns` must be valid.
  NodeArray(Count nodes, Count columns);

  // The last row is full, or has no more nodes than there are rows above it: each of them needs one that stands in.
  static bool is_valid(Count nodes, Count columns);
  static Count paper_columns(Count nodes);  // ceil(sqrt p), or where that is not valid floor(sqrt p)
  // The valid number with the fewest steps there and back, among those the one with the least load on a node.
  static Count best_columns(Count nodes);

  Count nodes() const { return nodes_; }
  Count columns() const { return columns_; }
  Count rows() const { return rows_; }
  Count short_row() const { return short_row_; }  // nodes of the last row; 0 if it is full
  bool is_ragged() const { return short_row_ > 0; }

  Count row_of(Rank node) const { return node / columns_; }
  Count column_of(Rank node) const { return node % columns_; }
  Rank node_at(Count row, Count column) const { return row * columns_ + column; }
  bool is_incomplete(Count column) const { return is_ragged() && column >= short_row_; }
  Count height(Count column) const { return is_incomplete(column) ? rows_ - 1 : rows_; }

  // Nodes counted column by column.
  Count place_of(Rank node) const { return first_place(column_of(node)) + row_of(node); }
  Count first_place(Count column) const { return column * rows_ - (is_incomplete(column) ? column - short_row_ : 0); }

  Rank at_place(Count place) const;

  // Who takes what `node` has for `column`: its neighbour in the row, or who stands in. For each column every node has one.
  Rank relay(Rank node, Count column) const;
  // The node of the last row that `node` takes something from by an additional message.
  std::optional<Rank> additional_sender(Rank node) const;
  // How many nodes a node has as their relay for its column, itself among them.
  Count feeder_count(Rank node) const;

  // Steps count from 1. In a step a node has one receiver and one sender at most, which may be itself. The last step of a
  // full row or column pass has messages to oneself only; the counts are without it.
  Count row_steps() const { return columns_ - 1 + (is_ragged() ? 1 : 0); }
  Count column_steps() const { return rows_ - 1; }
  std::optional<Count> stall(Rank node) const;
  std::optional<Rank> row_receiver(Rank node, Count step) const;
  std::optional<Rank> row_sender(Rank node, Count step) const;
  std::optional<Rank> column_receiver(Rank node, Count step) const;
  std::optional<Rank> column_sender(Rank node, Count step) const;

 private:
  Count nodes_, columns_, rows_, short_row_;
};

}  // namespace quadrille
