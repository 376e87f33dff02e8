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

// Lists of n entries ROW(x, i), with commas between them.
#define LIST_1(ROW, x) ROW(x, 0)
#define LIST_2(ROW, x) LIST_1(ROW, x), ROW(x, 1)
#define LIST_3(ROW, x) LIST_2(ROW, x), ROW(x, 2)
#define LIST_4(ROW, x) LIST_3(ROW, x), ROW(x, 3)
#define LIST_5(ROW, x) LIST_4(ROW, x), ROW(x, 4)
#define LIST_6(ROW, x) LIST_5(ROW, x), ROW(x, 5)
#define LIST_7(ROW, x) LIST_6(ROW, x), ROW(x, 6)
#define LIST_8(ROW, x) LIST_7(ROW, x), ROW(x, 7)
#define LIST_9(ROW, x) LIST_8(ROW, x), ROW(x, 8)
#define LIST_10(ROW, x) LIST_9(ROW, x), ROW(x, 9)
#define LIST_11(ROW, x) LIST_10(ROW, x), ROW(x, 10)
#define LIST_12(ROW, x) LIST_11(ROW, x), ROW(x, 11)
#define LIST_13(ROW, x) LIST_12(ROW, x), ROW(x, 12)

#define PARAMETERS(function, n) LIST_##n(QUADRILLE_PARAMETER, function)
#define ARGUMENTS(n) LIST_##n(QUADRILLE_NUMBERED, a)
#define POINTERS(n) LIST_##n(QUADRILLE_NUMBERED, void* a)  // addresses that are passed on unchanged
#define QUADRILLE_PARAMETER(function, i) ::quadrille::mpi_face::Argument<decltype(function), i> a##i
#define QUADRILLE_NUMBERED(x, i) x##i

// Lets this library be loaded beside an MPI library that lacks the function, which is then a null pointer: one of an older MPI than
// that of <mpi.h>, with the same binary interface. A program of such a library does not call the function.
#define MAY_BE_ABSENT(function) QUADRILLE_PRAGMA(weak function)
#define QUADRILLE_PRAGMA(words) _Pragma(#words)
