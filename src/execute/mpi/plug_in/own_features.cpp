// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/own_features.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "execute/mpi/plug_in/mpi_process.hpp"
#include "execute/process_events.hpp"
#include "foundation/text/wording.hpp"
#include "problem/collective_facts.hpp"

namespace quadrille {
namespace {

// Initialises MPI_T once and never finalises it, because after the last MPI_T_finalize a library may forget values that were set.
bool is_open() {
  static const bool is_open = [] {
    int provided = 0;
    return MPI_T_init_thread(MPI_THREAD_SERIALIZED, &provided) == MPI_SUCCESS;
  }();
  return is_open;
}

std::map<std::string, int> values_of(MPI_T_enum enumeration) {
  std::map<std::string, int> values;
  if (enumeration == MPI_T_ENUM_NULL) return values;
  std::array<char, 256> text{};
  int count = 0, length = static_cast<int>(text.size());
  if (MPI_T_enum_get_info(enumeration, &count, text.data(), &length) != MPI_SUCCESS) return values;
  for (int i = 0; i < count; ++i) {
    int value = 0;
    length = static_cast<int>(text.size());
    if (MPI_T_enum_get_item(enumeration, i, &value, text.data(), &length) == MPI_SUCCESS) values[text.data()] = value;
  }
  return values;
}

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

// Calls the library's blocking function, because only this function obeys a forced algorithm. `variable` is set during the call
// if the library reads it in each call; otherwise it is null.
class ForcedCall : public Executable {
 public:
  ForcedCall(std::unique_ptr<Executable> call, std::shared_ptr<const ControlVariable> variable, int value)
      : call_(std::move(call)), variable_(std::move(variable)), value_(value) {}
  void execute(const Arguments& arguments, Phases* phases) override {
    std::optional<Forcing> forcing;
    if (variable_) forcing.emplace(*variable_, value_);
    call_->execute(arguments, phases);
  }

 private:
  const std::unique_ptr<Executable> call_;
  const std::shared_ptr<const ControlVariable> variable_;
  const int value_;
};

// A communicator that was made while an algorithm was forced.
struct ForcedCommunicator {
  ForcedCommunicator() = default;
  ~ForcedCommunicator() {
    if (communicator != MPI_COMM_NULL && !EndOfMpi::is_over()) MPI_Comm_free(&communicator);
  }
  ForcedCommunicator(const ForcedCommunicator&) = delete;
  ForcedCommunicator& operator=(const ForcedCommunicator&) = delete;
  Lease lease;  // keeps the communicator that was duplicated
  MPI_Comm communicator = MPI_COMM_NULL;
};

// Returns the reason why the library would ignore every forced algorithm; empty if there is none.
std::string obstacle() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level == MPI_THREAD_MULTIPLE)  // the setting would also apply to calls of other threads
    return "other threads may call the MPI library while an algorithm is forced; ask MPI for a lower thread level";
  if (const auto rules = ControlVariable::named(own_algorithms::rules_variable); rules && !rules->text().empty())
    return fmt::format("the MPI library follows the rules in {}; start it without {}{}", rules->text(),
                       own_algorithms::environment_prefix, own_algorithms::rules_variable);
  return own_algorithms::obstacle();
}

}  // namespace

std::shared_ptr<ControlVariable> ControlVariable::named(const std::string& name) {
  int at = 0;
  if (!is_open() || MPI_T_cvar_get_index(name.c_str(), &at) != MPI_SUCCESS) return nullptr;
  std::array<char, 256> own_name{};
  std::array<char, 4096> description{};
  int name_length = own_name.size(), description_length = description.size(), verbosity = 0, binding = 0, scope = 0;
  MPI_T_enum enumeration = MPI_T_ENUM_NULL;
  const std::shared_ptr<ControlVariable> variable(new ControlVariable);
  if (MPI_T_cvar_get_info(at, own_name.data(), &name_length, &verbosity, &variable->type_, &enumeration, description.data(),
                          &description_length, &binding, &scope) != MPI_SUCCESS ||
      binding != MPI_T_BIND_NO_OBJECT || MPI_T_cvar_handle_alloc(at, nullptr, &variable->handle_, &variable->count_) != MPI_SUCCESS)
    return nullptr;
  variable->has_handle_ = true;
  variable->is_constant_ = scope == MPI_T_SCOPE_CONSTANT || scope == MPI_T_SCOPE_READONLY;
  variable->description_ = description.data();
  variable->values_ = values_of(enumeration);
  return variable;
}

ControlVariable::~ControlVariable() {
  if (has_handle_) MPI_T_cvar_handle_free(&handle_);
}

int ControlVariable::number() const {
  // Two ints, because the variable may be longer than an int. Open MPI's switches are bools or ints.
  std::array<int, 2> value{};
  if (count_ != 1 || type_ == MPI_CHAR || MPI_T_cvar_read(handle_, value.data()) != MPI_SUCCESS) return 0;
  return value[0];
}

std::string ControlVariable::text() const {
  if (type_ != MPI_CHAR || count_ < 1) return {};
  std::vector<char> text(static_cast<std::size_t>(count_) + 1);
  if (MPI_T_cvar_read(handle_, text.data()) != MPI_SUCCESS) return {};
  return text.data();
}

bool ControlVariable::set(int value) const { return type_ == MPI_INT && MPI_T_cvar_write(handle_, &value) == MPI_SUCCESS; }

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

Result<ForcedAlgorithm> ForcedAlgorithm::of(const Problem& problem, const std::string& name) {
  const auto known = names(problem);
  if (!known) return cannot(known.error());
  if (std::find(known->begin(), known->end(), name) == known->end())
    return cannot(fmt::format("this MPI library has no algorithm '{}' for {} among {}; it has {}", name,
                              mpi_name(problem.collective), counted(problem.ranks, "rank"), fmt::join(*known, ", ")));
  const auto variable = own_algorithms::variable_of(problem.collective);
  return ForcedAlgorithm(variable, values_for(*variable, problem).at(name));
}

std::unique_ptr<Executable> ForcedAlgorithm::make(const Lease& lease, const Made& made) const {
  if (own_algorithms::are_read_in_each_call) return std::make_unique<ForcedCall>(made(lease), variable_, value_);
  const auto own = std::make_shared<ForcedCommunicator>();
  {
    const Forcing forcing(*variable_, value_);
    check_mpi(MPI_Comm_dup(lease.communicator, &own->communicator), "MPI_Comm_dup");
  }
  own->lease = lease;
  return std::make_unique<ForcedCall>(made({own->communicator, lease.tag, own}), nullptr, 0);
}

}  // namespace quadrille
