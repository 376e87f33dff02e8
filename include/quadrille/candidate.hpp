// SPDX-License-Identifier: BSD-3-Clause
// A candidate is one way to solve a problem: an algorithm of the table with its parameters, a family of schedules of your own, or
// the transport's own collective (the "vendor"). Text from the user is parsed once, on entry; after that the program passes the
// parsed value.
//
//   const Candidate candidate = parse_candidate(problem, "bruck:radix=8");
//   Plan exchange = plan(communicator, problem, {.algorithm = candidate});
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "quadrille/algorithm.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/result.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

// ---- Families
//
// A family of schedules maps a problem to a schedule: your own function, the schedules of a file, or a command that prints them
// (generator.hpp). It is a candidate: one name stands for its schedules of all sizes and numbers of ranks, and it is verified,
// priced, raced and run like an algorithm of the table.
//
//   const Family ring = family_of_programs("my-ring", &ring_program);  // Program ring_program(const Problem&, Rank)
//   const std::vector<Finding> findings = verify(make_schedule(Problem::alltoall(8, 1024), ring));
//   Plan exchange = plan(ranks, problem, {.algorithm = ring});

class Family {
 public:
  // Returns the schedule of a problem, or the reason why the family has no schedule for it. Make must return equal schedules for
  // equal problems.
  using Make = std::function<Result<Schedule>(const Problem&)>;

  // Which ranks call Make when a group makes a plan.
  enum class MadeBy : std::uint8_t {
    every_rank,  // each rank calls Make and makes its own program only; rank 0 makes and verifies all programs
    first_rank,  // rank 0 calls Make and sends the whole schedule to the other ranks; for at most `most_ranks_of_first` ranks
  };

  Family(std::string name, Make make, MadeBy made_by = MadeBy::every_rank);

  const std::string& name() const { return name_; }  // names the candidate in reports
  MadeBy made_by() const { return made_by_; }

  // Returns the schedule, named like the family, or the reason why there is none. Local. Throws Error{misuse} if Make returns the
  // schedule of another problem (other ranks, sizes or root), and what Make throws.
  Result<Schedule> schedule(const Problem& problem) const;

  bool operator==(const Family&) const = default;  // true for copies of one family

 private:
  std::string name_;
  std::shared_ptr<const Make> make_;
  MadeBy made_by_;
};

// The most ranks of a group for which rank 0 makes a family's schedules.
inline constexpr Count most_ranks_of_first = 4096;

// Returns a family whose programs are made by the pure function `program`. Every rank calls the function for its own program.
Family family_of_programs(std::string name, std::function<Program(const Problem&, Rank)> program);

// Returns the family of `schedules`, such as the schedules of a file, each for a different problem. Every rank must pass the same
// schedules.
Family family_of_schedules(std::string name, std::vector<Schedule> schedules);

// ---- Candidates

// The transport's own collective, such as MPI_Alltoall. It has no schedule.
struct Vendor {
  std::string algorithm;  // forces this algorithm of the MPI library; empty: the library chooses

  bool operator==(const Vendor&) const = default;
};

using Candidate = std::variant<Choice, Vendor, Family>;

// True for the vendor's collective, whether or not one of its algorithms is forced.
inline bool is_vendor(const Candidate& candidate) { return std::holds_alternative<Vendor>(candidate); }
bool names_vendor(std::string_view text);  // true if parse_candidate reads `text` as the transport's own collective

// Parses "vendor", "vendor:linear_sync", or an algorithm as parse_choice does. Empty text means the collective's default
// algorithm (`default_algorithm`). A family cannot be named by text.
Candidate parse_candidate(const Problem& problem, std::string_view text);
Candidate parse_candidate(Collective collective, std::string_view text);  // for problems of any size, as parse_choice does

// Returns the candidate with values for all its parameters, as `completed` does for a choice.
Candidate completed(const Problem& problem, Candidate candidate);

// The inverse of parse_candidate: "vendor", "vendor:linear_sync", or the algorithm with all its parameters; for a family, its name.
std::string specification(const Candidate& candidate);

// The same without the parameters that have their default values for this problem: "bruck:radix=8".
std::string short_name(const Problem& problem, const Candidate& candidate);

// Returns the candidate's schedule. Throws Error{misuse}, with the reason, if the candidate cannot solve the problem, or if it is
// the vendor's collective, which has no schedule.
Schedule make_schedule(const Problem& problem, const Candidate& candidate);

}  // namespace quadrille
