// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/forced_algorithm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "execute/end_of_mpi.hpp"
#include "execute/mpi/plug_in/control_variable.hpp"
#include "execute/mpi/plug_in/mpi_calls.hpp"
#include "execute/mpi/plug_in/mpi_process.hpp"
#include "execute/mpi/plug_in/own_algorithms.hpp"
#include "foundation/text/wording.hpp"
#include "problem/collective_facts.hpp"

namespace quadrille {
namespace {

// Leaves out the value 0, which is the library's own choice, and algorithms that cannot solve the problem.
std::map<std::string, int> values_for(const ControlVariable& variable, const Problem& problem) {
  std::map<std::string, int> values = own_algorithms::values_for(variable, problem);
  std::erase_if(values, [](const auto& each) { return each.second == 0; });
  return values;
}

// Forces the algorithm during its lifetime.
class Forcing {
 public:
  Forcing(const ControlVariable& variable, int value) : variable_(variable), before_(variable.number()) { variable_.set(value); }
  ~Forcing() { variable_.set(before_); }
  Forcing(const Forcing&) = delete;
  Forcing& operator=(const Forcing&) = delete;

 private:
  const ControlVariable& variable_;
  int before_;
};

class ForcedCall : public Executable {
 public:
  ForcedCall(std::unique_ptr<Executable> call, std::shared_ptr<const ControlVariable> variable, int value)
      : call_(std::move(call)), variable_(std::move(variable)), value_(value) {}
  void execute(const std::byte* input, std::byte* output, Phases* phases) override {
    const Forcing forcing(*variable_, value_);
    call_->execute(input, output, phases);
  }

 private:
  std::unique_ptr<Executable> call_;
  std::shared_ptr<const ControlVariable> variable_;
  int value_;
};

// The library applies the forced algorithm to its blocking function only.
class BlockingCall : public Executable {
 public:
  explicit BlockingCall(std::unique_ptr<Executable> call) : call_(std::move(call)) {}
  void execute(const std::byte* input, std::byte* output, Phases* phases) override { call_->execute(input, output, phases); }

 private:
  std::unique_ptr<Executable> call_;
};

class Forced : public ForcedAlgorithm {
 public:
  Forced(std::shared_ptr<const ControlVariable> variable, int value) : variable_(std::move(variable)), value_(value) {}

  std::unique_ptr<Executable> make(const Lease& lease, const Made& made) const override {
    if (own_algorithms::are_read_in_each_call) return std::make_unique<ForcedCall>(made(lease), variable_, value_);
    const auto own = std::make_shared<Own>();
    {
      const Forcing forcing(*variable_, value_);
      check_mpi(MPI_Comm_dup(lease.communicator, &own->communicator), "MPI_Comm_dup");
    }
    own->lease = lease;
    return std::make_unique<BlockingCall>(made({own->communicator, lease.tag, own}));
  }

 private:
  struct Own {
    Own() = default;
    ~Own() {
      if (communicator != MPI_COMM_NULL && !EndOfMpi::is_over()) MPI_Comm_free(&communicator);
    }
    Own(const Own&) = delete;
    Own& operator=(const Own&) = delete;
    Lease lease;  // keeps the communicator that was duplicated
    MPI_Comm communicator = MPI_COMM_NULL;
  };

  std::shared_ptr<const ControlVariable> variable_;
  int value_;
};

// Returns the reason why the library would ignore every forced algorithm; empty if it would not.
std::string obstacle() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level == MPI_THREAD_MULTIPLE)  // the setting applies to the whole process
    return "other threads may call the MPI library while an algorithm is forced; ask MPI for a lower thread level";
  if (const auto rules = ControlVariable::named(own_algorithms::rules_variable); rules && !rules->text().empty())
    return fmt::format("the MPI library follows the rules in {}; start it without {}{}", rules->text(),
                       own_algorithms::environment_prefix, own_algorithms::rules_variable);
  return own_algorithms::obstacle();
}

}  // namespace

Result<std::vector<std::string>> ForcedAlgorithm::names(const Problem& problem) {
  const auto variable = own_algorithms::variable_of(problem.collective);
  std::vector<std::string> names;
  if (variable && !variable->is_constant())
    for (const auto& each : values_for(*variable, problem)) names.push_back(each.first);
  if (names.empty())
    return cannot(fmt::format("this MPI library offers no choice of algorithms for {}", mpi_name(problem.collective)));
  if (std::string reason = obstacle(); !reason.empty()) return cannot(std::move(reason));
  return names;
}

Result<std::shared_ptr<const ForcedAlgorithm>> ForcedAlgorithm::of(const Problem& problem, const std::string& name) {
  const auto known = names(problem);
  if (!known) return cannot(known.error());
  if (std::find(known->begin(), known->end(), name) == known->end())
    return cannot(fmt::format("this MPI library has no algorithm '{}' for {} among {}; it has {}", name,
                              mpi_name(problem.collective), counted(problem.ranks, "rank"), fmt::join(*known, ", ")));
  const auto variable = own_algorithms::variable_of(problem.collective);
  return std::shared_ptr<const ForcedAlgorithm>(std::make_shared<Forced>(variable, values_for(*variable, problem).at(name)));
}

}  // namespace quadrille
