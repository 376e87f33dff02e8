// SPDX-License-Identifier: BSD-3-Clause
// Macros to define a function with the type that <mpi.h> declares, given only its name and its number of arguments:
//
//   extern "C" int MPI_Alltoall(PARAMETERS(MPI_Alltoall, 7)) { return quadrille_alltoall(ARGUMENTS(7)); }
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

namespace quadrille::mpi_face {

template <class F>
struct Signature;
template <class... Each>
struct Signature<int(Each...)> {
  using Types = std::tuple<Each...>;
};

template <class F, std::size_t I>
using Argument = std::tuple_element_t<I, typename Signature<F>::Types>;

// Calls `f` with the first n of the arguments.
template <std::size_t n, class F, class... Each>
auto with_first(F f, const std::tuple<Each...>& arguments) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) { return f(std::get<I>(arguments)...); }
  (std::make_index_sequence<n>());
}

}  // namespace quadrille::mpi_face

#define QUADRILLE_ARGUMENT(function, i) ::quadrille::mpi_face::Argument<decltype(function), i> a##i
#define PARAMETERS_1(f) QUADRILLE_ARGUMENT(f, 0)
#define PARAMETERS_2(f) PARAMETERS_1(f), QUADRILLE_ARGUMENT(f, 1)
#define PARAMETERS_3(f) PARAMETERS_2(f), QUADRILLE_ARGUMENT(f, 2)
#define PARAMETERS_4(f) PARAMETERS_3(f), QUADRILLE_ARGUMENT(f, 3)
#define PARAMETERS_5(f) PARAMETERS_4(f), QUADRILLE_ARGUMENT(f, 4)
#define PARAMETERS_6(f) PARAMETERS_5(f), QUADRILLE_ARGUMENT(f, 5)
#define PARAMETERS_7(f) PARAMETERS_6(f), QUADRILLE_ARGUMENT(f, 6)
#define PARAMETERS_8(f) PARAMETERS_7(f), QUADRILLE_ARGUMENT(f, 7)
#define PARAMETERS_9(f) PARAMETERS_8(f), QUADRILLE_ARGUMENT(f, 8)
#define PARAMETERS_10(f) PARAMETERS_9(f), QUADRILLE_ARGUMENT(f, 9)
#define PARAMETERS_11(f) PARAMETERS_10(f), QUADRILLE_ARGUMENT(f, 10)
#define PARAMETERS_12(f) PARAMETERS_11(f), QUADRILLE_ARGUMENT(f, 11)
#define PARAMETERS_13(f) PARAMETERS_12(f), QUADRILLE_ARGUMENT(f, 12)
#define PARAMETERS(function, n) PARAMETERS_##n(function)

#define ARGUMENTS_1 a0
#define ARGUMENTS_2 ARGUMENTS_1, a1
#define ARGUMENTS_3 ARGUMENTS_2, a2
#define ARGUMENTS_4 ARGUMENTS_3, a3
#define ARGUMENTS_5 ARGUMENTS_4, a4
#define ARGUMENTS_6 ARGUMENTS_5, a5
#define ARGUMENTS_7 ARGUMENTS_6, a6
#define ARGUMENTS_8 ARGUMENTS_7, a7
#define ARGUMENTS_9 ARGUMENTS_8, a8
#define ARGUMENTS_10 ARGUMENTS_9, a9
#define ARGUMENTS_11 ARGUMENTS_10, a10
#define ARGUMENTS_12 ARGUMENTS_11, a11
#define ARGUMENTS_13 ARGUMENTS_12, a12
#define ARGUMENTS(n) ARGUMENTS_##n
