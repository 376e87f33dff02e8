// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/own_features.hpp"

#include <array>
#include <vector>

namespace quadrille {
namespace {

// Initialises MPI_T once and never finalises it: after the last MPI_T_finalize a library may forget the values that were set.
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

}  // namespace quadrille
