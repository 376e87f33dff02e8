// SPDX-License-Identifier: BSD-3-Clause
// Defines MPI's Fortran functions, for preloading. Open MPI's Fortran functions call the C functions' profiling names (PMPI_), so
// every Fortran function is defined here: mpif.h and `use mpi` call mpi_x_ (or another spelling, depending on the compiler); `use
// mpi_f08` calls mpi_x_f08_ with the same arguments. MPICH's Fortran functions call C's MPI_x, which we define, except for
// functions of `use mpi_f08` without a buffer.
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>

#include "mpi_face/call.hpp"
#include "mpi_face/message_calls.hpp"
#include "mpi_face/neighbourhood.hpp"
#include "mpi_face/symbols/fortran_forward.hpp"
#include "mpi_face/symbols/preloaded.hpp"
#include "mpi_face/symbols/signature.hpp"
#include "quadrille/mpi_collectives.h"
#ifdef OPEN_MPI
#include <mpi-ext.h>

// Open MPI's Fortran constants, such as MPI_IN_PLACE, are recognised by their addresses. Each compiler mangles the name
// differently, and each spelling is a separate variable.
extern "C" {
#define QUADRILLE_FORTRAN_CONSTANT(small, capital) [[gnu::weak]] extern int small, small##_, small##__, capital;
QUADRILLE_FORTRAN_CONSTANT(mpi_fortran_in_place, MPI_FORTRAN_IN_PLACE)
QUADRILLE_FORTRAN_CONSTANT(mpi_fortran_bottom, MPI_FORTRAN_BOTTOM)
#undef QUADRILLE_FORTRAN_CONSTANT
}
#endif

namespace quadrille::mpi_face {
namespace {

#ifdef OPEN_MPI
// Fortran's arguments, all of which are addresses, are converted to C's. The type of the C function's parameter determines the
// conversion, so no function needs its own code.

static_assert(sizeof(MPI_Fint) == sizeof(int), "an Open MPI whose Fortran has integers of 8 bytes is not supported");

template <class... Each>
bool is_one_of(const void* address, Each*... constants) {
  return address != nullptr && ((address == constants) || ...);
}
bool is_in_place(const void* address) {
  return is_one_of(address, &mpi_fortran_in_place, &mpi_fortran_in_place_, &mpi_fortran_in_place__, &MPI_FORTRAN_IN_PLACE);
}
bool is_bottom(const void* address) {
  return is_one_of(address, &mpi_fortran_bottom, &mpi_fortran_bottom_, &mpi_fortran_bottom__, &MPI_FORTRAN_BOTTOM);
}

// What the conversion of one argument tells the conversions of later arguments of the call.
struct FortranCall {
  MPI_Comm communicator = MPI_COMM_NULL;
  bool skip_next_array = false;  // after MPI_IN_PLACE: MPI ignores the send side's other arguments, so its arrays may be invalid
  bool out_of_memory = false;

  bool is_of_neighbours = false;
  bool receives = false;  // the arrays of the send side have been converted

  // Length of the next array of types in a collective on this communicator.
  int peers() const {
    if (is_of_neighbours) {
      const Neighbourhood own(communicator);
      return static_cast<int>((receives ? own.sources() : own.targets()).blocks);
    }
    int is_inter = 0, size = 0;
    if (PMPI_Comm_test_inter(communicator, &is_inter) != MPI_SUCCESS) return 0;
    (is_inter ? PMPI_Comm_remote_size : PMPI_Comm_size)(communicator, &size);
    return size;
  }
};

MPI_Datatype to_c(MPI_Fint handle, MPI_Datatype) { return PMPI_Type_f2c(handle); }
MPI_Op to_c(MPI_Fint handle, MPI_Op) { return PMPI_Op_f2c(handle); }
MPI_Comm to_c(MPI_Fint handle, MPI_Comm) { return PMPI_Comm_f2c(handle); }
int to_c(MPI_Fint number, int) { return static_cast<int>(number); }

// Converts one argument whose C type is T: a number or a handle.
template <class T>
struct FromFortran {
  using Given = const MPI_Fint*;
  T value;
  FromFortran(Given given, FortranCall&) : value(to_c(*given, T{})) {}
};

template <>
struct FromFortran<void*> {
  using Given = void*;
  void* value;
  FromFortran(Given given, FortranCall& call) : value(is_in_place(given) ? MPI_IN_PLACE : is_bottom(given) ? MPI_BOTTOM : given) {
    if (value == MPI_IN_PLACE) call.skip_next_array = true;
  }
};
template <>
struct FromFortran<const void*> : FromFortran<void*> {
  using FromFortran<void*>::FromFortran;
};

// Displacements of Neighbor_alltoallw, which are addresses in Fortran, too.
template <>
struct FromFortran<const MPI_Aint*> {
  using Given = const MPI_Aint*;
  Given value;
  FromFortran(Given given, FortranCall&) : value(given) {}
};

// Converts an array with one entry for each block. Arrays of integers are used without a copy if Fortran's integers have the type
// of C's; types are always copied.
template <class T>
struct FromFortran<const T*> {
  using Given = const MPI_Fint*;
  std::unique_ptr<T[]> copy;
  const T* value = nullptr;
  FromFortran(Given given, FortranCall& call) {
    if constexpr (std::is_same_v<T, MPI_Fint>) {
      value = given;
    } else if (!call.skip_next_array && given) {
      const int n = call.peers();
      copy.reset(new (std::nothrow) T[static_cast<std::size_t>(n) + 1]);
      call.out_of_memory |= !copy;
      for (int i = 0; copy && i < n; ++i) copy[static_cast<std::size_t>(i)] = to_c(given[i], T{});
      value = copy.get();
    }
    if constexpr (std::is_same_v<T, MPI_Datatype>) call.skip_next_array = false, call.receives = true;  // the last of the arrays
  }
};

template <class T>
using Given = typename FromFortran<T>::Given;

// Converts the arguments and calls the C function, whose last argument is the communicator. Fortran 2008 programs may omit
// `ierror`.
template <Function called, class... C>
void call_from_fortran(int (*function)(C...), MPI_Fint* ierror, std::type_identity_t<Given<C>>... given) {
  FortranCall call;
  call.communicator = PMPI_Comm_f2c(*std::get<sizeof...(C) - 1>(std::tie(given...)));
  call.is_of_neighbours = is_of_neighbours(called);
  std::tuple<FromFortran<C>...> arguments{FromFortran<C>(given, call)...};
  const int code = call.out_of_memory ? PMPI_Comm_call_errhandler(call.communicator, MPI_ERR_NO_MEM),
            MPI_ERR_NO_MEM            : std::apply([&](auto&... each) { return function(each.value...); }, arguments);
  if (ierror) *ierror = static_cast<MPI_Fint>(code);
}

// Reads the arguments of a function whose C form has type F.
template <Function function, class F, class... Each>
MpiCall fortran_call(const std::tuple<Each...>& given) {
  constexpr std::size_t used = sizeof...(Each) - arguments_behind(function);
  if constexpr (blocking_form(function) == Function::Alltoallw) {  // has arrays that would have to be converted
    return {Function::Alltoallw, PMPI_Comm_f2c(number_at(std::get<used - 1>(given))), {}, {}};
  } else {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      FortranCall call;
      const std::tuple arguments{FromFortran<Argument<F, I>>(static_cast<Given<Argument<F, I>>>(std::get<I>(given)), call)...};
      return call_of_passed<function>(std::get<I>(arguments).value...);
    }
    (std::make_index_sequence<used>());
  }
}
#else
MpiCall barrier_call(const auto& given) { return {Function::Barrier, PMPI_Comm_f2c(number_at(std::get<0>(given))), {}, {}}; }
#endif

}  // namespace
}  // namespace quadrille::mpi_face

using namespace quadrille::mpi_face;

// `call`: the MpiCall that the arguments state. A request is the last argument.
#define QUADRILLE_FORTRAN_PASSED(symbol, vendor, function, arguments, call)                                       \
  void symbol(POINTERS(arguments), void* ierror) {                                                                \
    static const auto vendors = reinterpret_cast<void (*)(POINTERS(arguments), void*)>(vendor_function(#vendor)); \
    see_collective();                                                                                             \
    const auto all = std::make_tuple(ARGUMENTS(arguments));                                                       \
    PassedThrough counted(Function::function, call(all));                                                         \
    vendors(ARGUMENTS(arguments), ierror);                                                                        \
    if (is_success(ierror)) counted.made(request_at(std::get<arguments - 1>(all), 0));                            \
  }
#define QUADRILLE_FORTRAN_REQUESTS(symbol, vendor, function, arguments, kind, count, requests)                           \
  void symbol(POINTERS(arguments), void* ierror) {                                                                       \
    note_caller();                                                                                                       \
    static const auto vendors = reinterpret_cast<void (*)(POINTERS(arguments), void*)>(next_function(#symbol, #vendor)); \
    const RequestCall counted(RequestCall::Kind::kind, MessageFunction::function, requests, count, request_at);          \
    vendors(ARGUMENTS(arguments), ierror);                                                                               \
  }
#define QUADRILLE_FORTRAN_INIT(symbol, vendor, arguments)                                                         \
  void symbol(POINTERS(arguments)) {                                                                              \
    static const auto vendors = reinterpret_cast<void (*)(POINTERS(arguments))>(next_function(#symbol, #vendor)); \
    const Initialising initialising;                                                                              \
    vendors(ARGUMENTS(arguments));                                                                                \
  }
#define QUADRILLE_FORTRAN_FINALIZE(symbol, vendor)                                                  \
  void symbol(void* ierror) {                                                                       \
    static const auto vendors = reinterpret_cast<void (*)(void*)>(next_function(#symbol, #vendor)); \
    note_caller();                                                                                  \
    vendors(ierror);                                                                                \
  }
extern "C" {

#ifdef OPEN_MPI

#define FORTRAN_PARAMETER(function, i) Given<Argument<decltype(function), i>> a##i

#define OURS(name, fortran, capitals, arguments)                                             \
  void mpi_##fortran##_(LIST_##arguments(FORTRAN_PARAMETER, MPI_##name), MPI_Fint* ierror) { \
    see_collective();                                                                        \
    call_from_fortran<Function::name>(quadrille_##fortran, ierror, ARGUMENTS(arguments));    \
  }                                                                                          \
  QUADRILLE_FORTRAN_SPELLINGS(mpi_, MPI_, fortran, capitals)                                 \
  QUADRILLE_ALIAS(mpi_##fortran##_, mpi_##fortran##_f08_)

#define QUADRILLE_FORTRAN_BINDINGS(prefix, capitals_prefix, name, fortran, capitals, arguments) \
  QUADRILLE_FORTRAN_PASSED(prefix##fortran##_, p##prefix##fortran##_, name, arguments,          \
                           (fortran_call<Function::name, decltype(P##capitals_prefix##name)>))  \
  QUADRILLE_FORTRAN_SPELLINGS(prefix, capitals_prefix, fortran, capitals)                       \
  QUADRILLE_FORTRAN_PASSED(prefix##fortran##_f08_, p##prefix##fortran##_f08_, name, arguments,  \
                           (fortran_call<Function::name, decltype(P##capitals_prefix##name)>))

#define PASSED(name, fortran, capitals, arguments) QUADRILLE_FORTRAN_BINDINGS(mpi_, MPI_, name, fortran, capitals, arguments)
#if OMPI_MAJOR_VERSION >= 5
#define PASSED_MPI4(name, fortran, capitals, arguments) QUADRILLE_FORTRAN_BINDINGS(mpi_, MPI_, name, fortran, capitals, arguments)
#else
#define PASSED_MPI4(name, fortran, capitals, arguments) QUADRILLE_FORTRAN_BINDINGS(mpix_, MPIX_, name, fortran, capitals, arguments)
#endif
#include "mpi_face/symbols/functions.def"

#define QUADRILLE_REQUESTS(name, fortran, capitals, arguments, kind, count, requests)                     \
  QUADRILLE_FORTRAN_REQUESTS(mpi_##fortran##_, pmpi_##fortran##_, name, arguments, kind, count, requests) \
  QUADRILLE_FORTRAN_SPELLINGS(mpi_, MPI_, fortran, capitals)                                              \
  QUADRILLE_FORTRAN_REQUESTS(mpi_##fortran##_f08_, pmpi_##fortran##_f08_, name, arguments, kind, count, requests)
#define ONE_REQUEST(name, fortran, capitals, arguments, kind) QUADRILLE_REQUESTS(name, fortran, capitals, arguments, kind, 1, a0)
#define REQUESTS(name, fortran, capitals, arguments, kind) \
  QUADRILLE_REQUESTS(name, fortran, capitals, arguments, kind, number_at(a0), a1)
#include "mpi_face/symbols/requests.def"

QUADRILLE_FORTRAN_INIT(mpi_init_, pmpi_init_, 1)
QUADRILLE_FORTRAN_SPELLINGS(mpi_, MPI_, init, INIT)
QUADRILLE_FORTRAN_INIT(mpi_init_f08_, pmpi_init_f08_, 1)
QUADRILLE_FORTRAN_INIT(mpi_init_thread_, pmpi_init_thread_, 3)
QUADRILLE_FORTRAN_SPELLINGS(mpi_, MPI_, init_thread, INIT_THREAD)
QUADRILLE_FORTRAN_INIT(mpi_init_thread_f08_, pmpi_init_thread_f08_, 3)

QUADRILLE_FORTRAN_FINALIZE(mpi_finalize_, pmpi_finalize_)
QUADRILLE_FORTRAN_SPELLINGS(mpi_, MPI_, finalize, FINALIZE)
QUADRILLE_FORTRAN_FINALIZE(mpi_finalize_f08_, pmpi_finalize_f08_)

#elif defined MPICH

QUADRILLE_FORTRAN_FINALIZE(mpi_finalize_f08_, pmpir_finalize_f08_)
QUADRILLE_FORTRAN_INIT(mpi_init_f08_, pmpir_init_f08_, 1)
QUADRILLE_FORTRAN_INIT(mpi_init_thread_f08_, pmpir_init_thread_f08_, 3)
void mpi_barrier_f08_(const MPI_Fint* comm, MPI_Fint* ierror) {
  see_collective();
  const int code = quadrille_barrier(PMPI_Comm_f2c(*comm));
  if (ierror) *ierror = code;
}
QUADRILLE_FORTRAN_PASSED(mpi_ibarrier_f08_, pmpir_ibarrier_f08_, Ibarrier, 2, barrier_call)
QUADRILLE_FORTRAN_PASSED(mpi_barrier_init_f08_, pmpir_barrier_init_f08_, Barrier_init, 3, barrier_call)

#define QUADRILLE_REQUESTS(name, fortran, arguments, kind, count, requests) \
  QUADRILLE_FORTRAN_REQUESTS(mpi_##fortran##_f08_, pmpir_##fortran##_f08_, name, arguments, kind, count, requests)
#define ONE_REQUEST(name, fortran, capitals, arguments, kind) QUADRILLE_REQUESTS(name, fortran, arguments, kind, 1, a0)
#define REQUESTS(name, fortran, capitals, arguments, kind) QUADRILLE_REQUESTS(name, fortran, arguments, kind, number_at(a0), a1)
#include "mpi_face/symbols/requests.def"

#endif
}
