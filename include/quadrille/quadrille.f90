! SPDX-License-Identifier: BSD-3-Clause
! The C interface (quadrille/c.h, docs/c.md) for Fortran: the same functions, arguments and errors. This source is installed,
! because a .mod file fits one compiler only; compile it with the program:
!
!   mpifort $(pkg-config --variable=fortran quadrille-openmpi) app.f90 $(pkg-config --cflags --libs quadrille-openmpi)
!
! Ranks, counts and sizes are integer(c_int64_t). The names of built-in operators and types are plain texts; other texts
! for C end in c_null_char. Arguments that may be NULL in C are optional. Buffers are arrays of any type and rank, passed by
! address; they must be contiguous. The buffers of an execution that was started must have the attribute asynchronous in the
! calling program.
module quadrille
  use, intrinsic :: iso_c_binding
  implicit none
  public

  enum, bind(c)
    enumerator :: quadrille_success, quadrille_misuse, quadrille_malformed, quadrille_too_large, quadrille_environment, &
      quadrille_transport, quadrille_peer_lost
  end enum

  ! Handles; a new variable is NULL.
  type, bind(c) :: quadrille_group
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, bind(c) :: quadrille_operator
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, bind(c) :: quadrille_plan
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, bind(c) :: quadrille_request
    type(c_ptr) :: handle = c_null_ptr
  end type

  type, bind(c) :: quadrille_piece
    integer(c_int64_t) :: offset = 0, length = 0
  end type
  type, bind(c) :: quadrille_layout
    type(c_ptr) :: pieces = c_null_ptr  ! c_loc of an array of quadrille_piece
    integer(c_int64_t) :: count = 0
  end type
  type, bind(c) :: quadrille_plan_options
    type(c_ptr) :: algorithm = c_null_ptr, effort = c_null_ptr, policy = c_null_ptr, executor = c_null_ptr  ! c_loc of texts
    integer(c_int) :: buffers = 0, in_place = 0
    type(quadrille_layout) :: input, output
  end type

  interface
    function quadrille_error_text_in_c() result(text) bind(c, name="quadrille_error_text")
      import
      type(c_ptr) :: text
    end function

    ! Groups
    function quadrille_launched_world(ranks) result(error) bind(c)
      import
      type(quadrille_group), intent(out) :: ranks
      integer(c_int) :: error
    end function
    ! `communicator`: an integer handle of MPI, or the MPI_VAL of a type(MPI_Comm).
    function quadrille_over(communicator, ranks) result(error) bind(c, name="quadrille_over_fortran")
      import
      integer(c_int), value :: communicator
      type(quadrille_group), intent(out) :: ranks
      integer(c_int) :: error
    end function
    function quadrille_over_handle(library, handle, handle_bytes, ranks) result(error) bind(c)
      import
      character(kind=c_char), intent(in) :: library(*)
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: handle_bytes
      type(quadrille_group), intent(out) :: ranks
      integer(c_int) :: error
    end function
    ! `body`: c_funloc of a function (ranks, context) with bind(c), both arguments by value, that returns an integer(c_int).
    function quadrille_run_threads(threads, body, context) result(error) bind(c)
      import
      integer(c_int64_t), value :: threads
      type(c_funptr), value :: body
      type(c_ptr), value :: context
      integer(c_int) :: error
    end function
    function quadrille_run_launched(threads, body, context) result(error) bind(c)
      import
      integer(c_int64_t), value :: threads
      type(c_funptr), value :: body
      type(c_ptr), value :: context
      integer(c_int) :: error
    end function
    function quadrille_group_rank(ranks, rank) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      integer(c_int64_t), intent(out) :: rank
      integer(c_int) :: error
    end function
    function quadrille_group_size(ranks, size) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      integer(c_int64_t), intent(out) :: size
      integer(c_int) :: error
    end function
    function quadrille_group_barrier(ranks) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      integer(c_int) :: error
    end function
    function quadrille_group_abort(ranks, exit_code) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      integer(c_int), value :: exit_code
      integer(c_int) :: error
    end function
    function quadrille_group_free(ranks) result(error) bind(c)
      import
      type(quadrille_group), intent(inout) :: ranks
      integer(c_int) :: error
    end function

    ! Operators
    function quadrille_built_in_operator_in_c(operation, type, made) result(error) bind(c, name="quadrille_built_in_operator")
      import
      character(kind=c_char), intent(in) :: operation(*), type(*)
      type(quadrille_operator), intent(out) :: made
      integer(c_int) :: error
    end function
    ! `combine`: c_funloc of a subroutine (lower, upper, result, count, context) with bind(c): three arrays, and two values.
    function quadrille_operator_of_function(combine, context, element_bytes, commutative, name, made) result(error) bind(c)
      import
      type(c_funptr), value :: combine
      type(c_ptr), value :: context
      integer(c_int64_t), value :: element_bytes
      integer(c_int), value :: commutative
      character(kind=c_char), intent(in), optional :: name(*)
      type(quadrille_operator), intent(out) :: made
      integer(c_int) :: error
    end function
    function quadrille_operator_free(operation) result(error) bind(c)
      import
      type(quadrille_operator), intent(inout) :: operation
      integer(c_int) :: error
    end function

    ! Calls without a plan
    function quadrille_call_alltoall(ranks, input, output, count, element_bytes) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      type(*), intent(in) :: input(*)
      type(*), intent(inout) :: output(*)
      integer(c_int64_t), value :: count, element_bytes
      integer(c_int) :: error
    end function
    function quadrille_call_allgather(ranks, input, output, count, element_bytes) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      type(*), intent(in) :: input(*)
      type(*), intent(inout) :: output(*)
      integer(c_int64_t), value :: count, element_bytes
      integer(c_int) :: error
    end function
    function quadrille_call_broadcast(ranks, buffer, count, element_bytes, root) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      type(*), intent(inout) :: buffer(*)
      integer(c_int64_t), value :: count, element_bytes, root
      integer(c_int) :: error
    end function
    function quadrille_call_scatter(ranks, input, output, count, element_bytes, root) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      type(*), intent(in) :: input(*)
      type(*), intent(inout) :: output(*)
      integer(c_int64_t), value :: count, element_bytes, root
      integer(c_int) :: error
    end function
    function quadrille_call_gather(ranks, input, output, count, element_bytes, root) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      type(*), intent(in) :: input(*)
      type(*), intent(inout) :: output(*)
      integer(c_int64_t), value :: count, element_bytes, root
      integer(c_int) :: error
    end function
    function quadrille_call_reduce(ranks, input, output, count, operation, root) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      type(*), intent(in) :: input(*)
      type(*), intent(inout) :: output(*)
      integer(c_int64_t), value :: count, root
      type(quadrille_operator), value :: operation
      integer(c_int) :: error
    end function
    function quadrille_call_allreduce(ranks, input, output, count, operation) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      type(*), intent(in) :: input(*)
      type(*), intent(inout) :: output(*)
      integer(c_int64_t), value :: count
      type(quadrille_operator), value :: operation
      integer(c_int) :: error
    end function
    function quadrille_call_reduce_scatter(ranks, input, output, count, operation) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      type(*), intent(in) :: input(*)
      type(*), intent(inout) :: output(*)
      integer(c_int64_t), value :: count
      type(quadrille_operator), value :: operation
      integer(c_int) :: error
    end function
    function quadrille_call_scan(ranks, input, output, count, operation) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      type(*), intent(in) :: input(*)
      type(*), intent(inout) :: output(*)
      integer(c_int64_t), value :: count
      type(quadrille_operator), value :: operation
      integer(c_int) :: error
    end function
    function quadrille_call_exscan(ranks, input, output, count, operation) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      type(*), intent(in) :: input(*)
      type(*), intent(inout) :: output(*)
      integer(c_int64_t), value :: count
      type(quadrille_operator), value :: operation
      integer(c_int) :: error
    end function
    function quadrille_call_alltoallv(ranks, input, send_counts, send_displacements, output, receive_counts, &
      receive_displacements, element_bytes) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      type(*), intent(in) :: input(*)
      type(*), intent(inout) :: output(*)
      integer(c_int64_t), value :: element_bytes
      integer(c_int64_t), intent(in) :: send_counts(*), receive_counts(*)
      integer(c_int64_t), intent(in), optional :: send_displacements(*), receive_displacements(*)
      integer(c_int) :: error
    end function

    ! Plans
    function quadrille_plan_alltoall(ranks, count, element_bytes, options, plan) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      integer(c_int64_t), value :: count, element_bytes
      type(quadrille_plan_options), intent(in), optional :: options
      type(quadrille_plan), intent(out) :: plan
      integer(c_int) :: error
    end function
    function quadrille_plan_allgather(ranks, count, element_bytes, options, plan) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      integer(c_int64_t), value :: count, element_bytes
      type(quadrille_plan_options), intent(in), optional :: options
      type(quadrille_plan), intent(out) :: plan
      integer(c_int) :: error
    end function
    function quadrille_plan_broadcast(ranks, count, element_bytes, root, options, plan) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      integer(c_int64_t), value :: count, element_bytes, root
      type(quadrille_plan_options), intent(in), optional :: options
      type(quadrille_plan), intent(out) :: plan
      integer(c_int) :: error
    end function
    function quadrille_plan_scatter(ranks, count, element_bytes, root, options, plan) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      integer(c_int64_t), value :: count, element_bytes, root
      type(quadrille_plan_options), intent(in), optional :: options
      type(quadrille_plan), intent(out) :: plan
      integer(c_int) :: error
    end function
    function quadrille_plan_gather(ranks, count, element_bytes, root, options, plan) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      integer(c_int64_t), value :: count, element_bytes, root
      type(quadrille_plan_options), intent(in), optional :: options
      type(quadrille_plan), intent(out) :: plan
      integer(c_int) :: error
    end function
    function quadrille_plan_reduce(ranks, count, operation, root, options, plan) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      integer(c_int64_t), value :: count, root
      type(quadrille_operator), value :: operation
      type(quadrille_plan_options), intent(in), optional :: options
      type(quadrille_plan), intent(out) :: plan
      integer(c_int) :: error
    end function
    function quadrille_plan_allreduce(ranks, count, operation, options, plan) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      integer(c_int64_t), value :: count
      type(quadrille_operator), value :: operation
      type(quadrille_plan_options), intent(in), optional :: options
      type(quadrille_plan), intent(out) :: plan
      integer(c_int) :: error
    end function
    function quadrille_plan_reduce_scatter(ranks, count, operation, options, plan) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      integer(c_int64_t), value :: count
      type(quadrille_operator), value :: operation
      type(quadrille_plan_options), intent(in), optional :: options
      type(quadrille_plan), intent(out) :: plan
      integer(c_int) :: error
    end function
    function quadrille_plan_scan(ranks, count, operation, options, plan) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      integer(c_int64_t), value :: count
      type(quadrille_operator), value :: operation
      type(quadrille_plan_options), intent(in), optional :: options
      type(quadrille_plan), intent(out) :: plan
      integer(c_int) :: error
    end function
    function quadrille_plan_exscan(ranks, count, operation, options, plan) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      integer(c_int64_t), value :: count
      type(quadrille_operator), value :: operation
      type(quadrille_plan_options), intent(in), optional :: options
      type(quadrille_plan), intent(out) :: plan
      integer(c_int) :: error
    end function
    function quadrille_plan_alltoallv(ranks, send_counts, send_displacements, receive_counts, receive_displacements, &
      element_bytes, options, plan) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      integer(c_int64_t), value :: element_bytes
      integer(c_int64_t), intent(in) :: receive_counts(*)
      integer(c_int64_t), intent(in), optional :: send_counts(*), send_displacements(*), receive_displacements(*)
      type(quadrille_plan_options), intent(in), optional :: options
      type(quadrille_plan), intent(out) :: plan
      integer(c_int) :: error
    end function
    function quadrille_plan_allgatherv(ranks, receive_counts, receive_displacements, element_bytes, options, plan) &
      result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      integer(c_int64_t), value :: element_bytes
      integer(c_int64_t), intent(in) :: receive_counts(*)
      integer(c_int64_t), intent(in), optional :: receive_displacements(*)
      type(quadrille_plan_options), intent(in), optional :: options
      type(quadrille_plan), intent(out) :: plan
      integer(c_int) :: error
    end function
    function quadrille_plan_gatherv(ranks, count, receive_counts, receive_displacements, element_bytes, root, options, plan) &
      result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      integer(c_int64_t), value :: count, element_bytes, root
      integer(c_int64_t), intent(in), optional :: receive_counts(*), receive_displacements(*)
      type(quadrille_plan_options), intent(in), optional :: options
      type(quadrille_plan), intent(out) :: plan
      integer(c_int) :: error
    end function
    function quadrille_plan_scatterv(ranks, send_counts, send_displacements, count, element_bytes, root, options, plan) &
      result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      integer(c_int64_t), value :: count, element_bytes, root
      integer(c_int64_t), intent(in), optional :: send_counts(*), send_displacements(*)
      type(quadrille_plan_options), intent(in), optional :: options
      type(quadrille_plan), intent(out) :: plan
      integer(c_int) :: error
    end function
    function quadrille_plan_reduce_scatterv(ranks, counts, operation, options, plan) result(error) bind(c)
      import
      type(quadrille_group), value :: ranks
      integer(c_int64_t), intent(in) :: counts(*)
      type(quadrille_operator), value :: operation
      type(quadrille_plan_options), intent(in), optional :: options
      type(quadrille_plan), intent(out) :: plan
      integer(c_int) :: error
    end function
    function quadrille_plan_algorithm(plan, algorithm) result(error) bind(c)
      import
      type(quadrille_plan), value :: plan
      type(c_ptr), intent(out) :: algorithm
      integer(c_int) :: error
    end function
    function quadrille_plan_free(plan) result(error) bind(c)
      import
      type(quadrille_plan), intent(inout) :: plan
      integer(c_int) :: error
    end function

    ! Executions
    function quadrille_execute(plan, input, output) result(error) bind(c)
      import
      type(quadrille_plan), value :: plan
      type(*), intent(in) :: input(*)
      type(*), intent(inout) :: output(*)
      integer(c_int) :: error
    end function
    function quadrille_execute_in_place(plan, buffer) result(error) bind(c)
      import
      type(quadrille_plan), value :: plan
      type(*), intent(inout) :: buffer(*)
      integer(c_int) :: error
    end function
    function quadrille_start(plan, input, output, request) result(error) bind(c)
      import
      type(quadrille_plan), value :: plan
      type(*), intent(in), asynchronous :: input(*)
      type(*), intent(inout), asynchronous :: output(*)
      type(quadrille_request), intent(out) :: request
      integer(c_int) :: error
    end function
    function quadrille_start_in_place(plan, buffer, request) result(error) bind(c)
      import
      type(quadrille_plan), value :: plan
      type(*), intent(inout), asynchronous :: buffer(*)
      type(quadrille_request), intent(out) :: request
      integer(c_int) :: error
    end function
    function quadrille_test(request, is_over) result(error) bind(c)
      import
      type(quadrille_request), intent(inout) :: request
      integer(c_int), intent(out) :: is_over
      integer(c_int) :: error
    end function
    function quadrille_wait(request) result(error) bind(c)
      import
      type(quadrille_request), intent(inout) :: request
      integer(c_int) :: error
    end function
    function quadrille_wait_all(count, requests) result(error) bind(c)
      import
      integer(c_int64_t), value :: count
      type(quadrille_request), intent(inout) :: requests(*)
      integer(c_int) :: error
    end function
  end interface

contains

  ! The sentence of the last error in this thread, as quadrille_error_text in C.
  function quadrille_error_text() result(text)
    character(:), allocatable :: text
    text = quadrille_text(quadrille_error_text_in_c())
  end function

  function quadrille_built_in_operator(operation, type, made) result(error)
    character(*), intent(in) :: operation, type
    type(quadrille_operator), intent(out) :: made
    integer(c_int) :: error
    error = quadrille_built_in_operator_in_c(trim(operation)//c_null_char, trim(type)//c_null_char, made)
  end function

  ! A text of C, such as that of quadrille_plan_algorithm.
  function quadrille_text(address) result(text)
    type(c_ptr), intent(in) :: address
    character(:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i, length
    interface
      function strlen(address) result(length) bind(c)
        import
        type(c_ptr), value :: address
        integer(c_size_t) :: length
      end function
    end interface
    length = int(strlen(address))
    call c_f_pointer(address, characters, [length])
    allocate (character(length) :: text)
    do i = 1, length
      text(i:i) = characters(i)
    end do
  end function
end module
