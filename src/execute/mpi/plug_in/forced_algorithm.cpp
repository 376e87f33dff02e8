// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/forced_algorithm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <map>
#include <utility>

#include "execute/end_of_mpi.hpp"
#include "execute/mpi/plug_in/control_variable.hpp"
#include "execute/mpi/plug_in/mpi_calls.hpp"
#include "execute/mpi/plug_in/mpi_process.hpp"
#include "problem/collective_facts.hpp"

namespace quadrille {
namespace {

constexpr bool is_openmpi = std::string_view(QUADRILLE_MPI_LIBRARY) == "openmpi";

// Does MPICH obey its variable for the algorithm of this collective? It has such a variable for every collective. But
// collectives in which no buffer has a block for each rank (broadcast, for example) run by compositions of MPICH's device layer,
// which other variables select.
bool mpich_chooses(Collective collective) {
  const CollectiveFacts& facts = facts_of(collective);
  return facts.input.holding == Holding::all || facts.output.holding == Holding::all;
}

std::shared_ptr<ControlVariable> variable_of(Collective collective) {
  std::string name = mpi_name(collective);
  if (is_openmpi) return ControlVariable::named(fmt::format("coll_tuned_{}_algorithm", name));
  if (!mpich_chooses(collective)) return nullptr;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) { return std::toupper(letter); });
  return ControlVariable::named(fmt::format("MPIR_CVAR_{}_INTRA_ALGORITHM", name));
}

// MPICH lists the values of its variable only in the description, without line ends: "Variable to select allgather algorithmauto -
// Internal algorithm selectionbrucks             - Force brucks algorithmnb                 - Force ...". They count from 0. The
// text does not show where a name begins, so this searches for known names.
std::map<std::string, int> mpich_values(const std::string& description) {
  constexpr std::array known{"brucks", "nb",     "pairwise", "scattered", "recursive_doubling", "recursive_halving",
                             "ring",   "linear", "binomial"};
  std::map<std::string, int> values;
  int value = 0;  // the first is "auto"
  for (std::size_t at = 0; (at = description.find("- Force", at)) != std::string::npos; at += 7) {
    ++value;
    const std::size_t end = description.find_last_not_of(' ', at - 1);
    if (at == 0 || end == std::string::npos) continue;
    const std::string_view before(description.data(), end + 1);
    for (const std::string_view name : known) {
      const bool ends_so = before.ends_with(name) && before.size() > name.size();
      if (ends_so && before[before.size() - name.size() - 1] != '_') values.emplace(name, value);
    }
  }
  return values;
}

// Leaves out the value 0, which is the library's own choice, and algorithms that cannot solve the problem.
std::map<std::string, int> values_for(const ControlVariable& variable, const Problem& problem) {
  std::map<std::string, int> values = is_openmpi ? variable.values() : mpich_values(variable.description());
  std::erase_if(values, [&](const auto& each) {
    const auto& [name, value] = each;
    const bool power_of_two = std::has_single_bit(static_cast<std::uint64_t>(problem.ranks));
    return value == 0 || (name == "two_proc" && problem.ranks != 2) ||
           (!is_openmpi && name == "recursive_doubling" && !power_of_two);
  });
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
    if (!is_openmpi) return std::make_unique<ForcedCall>(made(lease), variable_, value_);
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
  const char* const file = is_openmpi ? "coll_tuned_dynamic_rules_filename" : "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE";
  if (const auto rules = ControlVariable::named(file); rules && !rules->text().empty())
    return fmt::format("the MPI library follows the rules in {}; start it without {}{}", rules->text(),
                       is_openmpi ? "OMPI_MCA_" : "", file);
  if (!is_openmpi) return {};
  const auto dynamic = ControlVariable::named("coll_tuned_use_dynamic_rules");
  if (dynamic && (dynamic->number() & 0xFF) != 0) return {};
  return "Open MPI ignores forced algorithms with these settings; start it with OMPI_MCA_coll_tuned_use_dynamic_rules=1";
}

}  // namespace

Result<std::vector<std::string>> ForcedAlgorithm::names(const Problem& problem) {
  const auto variable = variable_of(problem.collective);
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
    return cannot(fmt::format("this MPI library has no algorithm '{}' for {} among {} ranks; it has {}", name,
                              mpi_name(problem.collective), problem.ranks, fmt::join(*known, ", ")));
  const auto variable = variable_of(problem.collective);
  return std::shared_ptr<const ForcedAlgorithm>(std::make_shared<Forced>(variable, values_for(*variable, problem).at(name)));
}

}  // namespace quadrille
