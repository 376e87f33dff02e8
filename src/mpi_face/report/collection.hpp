// SPDX-License-Identifier: BSD-3-Clause
// How the counters of all ranks come to rank 0 at the end of a run, so that one report has all hosts. Nothing here depends on MPI.
//
// Each rank sends rank 0 a token. Rank 0 needs the counters of ranks whose file it cannot read. It answers each token: does it
// need the rank's counters? Only a rank that is asked sends its counters; then rank 0 says whether it could keep them. So rank 0
// alone decides, and it waits only for counters of ranks that are alive. If tokens are missing after some time, because ranks
// have died, rank 0 sends these ranks an answer anyway and goes on. A rank that comes later finds the answer, and goes on, too.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

struct CourierMessage {
  Rank from = 0;
  std::string text;
};

// Messages between the ranks of a world, which arrive in order.
class Courier {
 public:
  virtual ~Courier() = default;
  virtual void send(Rank to, std::string text) = 0;     // returns at once
  virtual std::optional<CourierMessage> receive() = 0;  // a message that has arrived
  virtual double now_s() = 0;
  virtual void pause() = 0;  // waits for a short time
};

inline constexpr double patience_for_tokens_s = 60;

// What rank 0 does with tokens and counters.
class Collector {
 public:
  virtual ~Collector() = default;
  virtual bool needs(Rank rank, const std::string& token) = 0;
  virtual bool take(Rank rank, std::string counters) = 0;  // false: they are lost
};

inline constexpr char has_no_file = '!';  // begins the token of a rank without a file; the reason follows

// Collects the files that are not in rank 0's folder, and puts them there.
class FileCollector final : public Collector {
 public:
  // `path`: returns the path of a rank's file in rank 0's folder; empty: it has none. `token_of`: returns the token of a file;
  // throws Error if the file cannot be read.
  FileCollector(std::function<std::string(Rank)> path, std::function<std::string(const std::string& path)> token_of)
      : path_(std::move(path)), token_of_(std::move(token_of)) {}

  bool needs(Rank rank, const std::string& token) override;
  bool take(Rank rank, std::string file) override;

  // "no counters of ranks 3 and 5: " and the reason for the first of these ranks; empty if none are lost.
  std::string lost(std::string_view what) const;

 private:
  void lose(Rank rank, const std::string& why);

  const std::function<std::string(Rank)> path_;
  const std::function<std::string(const std::string&)> token_of_;
  std::vector<Rank> lost_;
  std::string why_;
};

// For rank 0. Returns when the counters that are needed have arrived.
void collect(Courier& courier, Count ranks, Collector& collector);

// For the other ranks. Waits for rank 0's answers. Returns true if rank 0 has asked for the counters and has kept them.
bool hand_over(Courier& courier, const std::string& token, const std::function<std::string()>& counters);

}  // namespace quadrille::mpi_face
