! SPDX-License-Identifier: BSD-3-Clause
! Calls each function of the Fortran module on threads, so that a wrong interface is found: each plan is executed, and its result is
! compared with what the ranks and blocks say. Blocks have 2 elements, and element i of the block of rank `from` for rank `to` is
! 100 from + 10 to + i.
module ranks_of_the_test
  use quadrille
  implicit none
  integer(c_int64_t), parameter :: n = 2, p = 3
contains
  subroutine check(error)
    integer(c_int), intent(in) :: error
    if (error == quadrille_success) return
    print '(a)', quadrille_error_text()
    error stop 1
  end subroutine

  subroutine expect(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    print '(2a)', "wrong: ", what
    error stop 1
  end subroutine

  ! The blocks that rank `from` has for the ranks first .. last.
  function blocks(from, first, last) result(elements)
    integer(c_int64_t), intent(in) :: from, first, last
    integer(c_int64_t) :: elements(n * (last - first + 1)), to, i
    do to = first, last
      do i = 1, n
        elements(n * (to - first) + i) = 100 * from + 10 * to + i
      end do
    end do
  end function

  ! Block `to` of each rank, one after the other.
  function received(to) result(elements)
    integer(c_int64_t), intent(in) :: to
    integer(c_int64_t) :: elements(n * p), rank
    do rank = 0, p - 1
      elements(n * rank + 1:n * rank + n) = blocks(rank, to, to)
    end do
  end function

  ! Executes a plan from `input` to an output that is -1 before, and frees it.
  subroutine run(plan, what, input, expected)
    type(quadrille_plan), intent(inout) :: plan
    character(*), intent(in) :: what
    integer(c_int64_t), intent(in) :: input(:), expected(:)
    integer(c_int64_t) :: output(size(expected))
    output = -1
    call check(quadrille_execute(plan, input, output))
    call expect(all(output == expected), what)
    call check(quadrille_plan_free(plan))
    call expect(.not. c_associated(plan%handle), "a freed plan is NULL")
  end subroutine

  subroutine add_pairs(lower, upper, result, count, context) bind(c)
    integer(c_int64_t), value :: count
    integer(c_int64_t), intent(in) :: lower(count), upper(count)
    integer(c_int64_t), intent(inout) :: result(count)
    type(c_ptr), value :: context
    integer(c_int64_t), pointer :: factor
    call c_f_pointer(context, factor)
    result = factor * (lower + upper)
  end subroutine

  function body(ranks, context) bind(c) result(error)
    type(quadrille_group), value :: ranks
    type(c_ptr), value :: context
    integer(c_int) :: error
    type(quadrille_group) :: no_group
    type(quadrille_plan) :: plan
    type(quadrille_operator) :: addition, own
    type(quadrille_request) :: request, requests(2)
    type(quadrille_plan_options), target :: options
    type(quadrille_piece), target :: pieces(p)
    character(kind=c_char), target :: direct(7)
    type(c_ptr) :: algorithm
    integer(c_int64_t) :: me, ranks_there, rank, counts(p), places(p), none(0)
    integer(c_int64_t), asynchronous :: buffer(n * p), input(n * p)
    integer(c_int64_t), target :: factor
    integer(c_int) :: is_over
    integer(c_int64_t), parameter :: root = 1, element = 8

    call expect(.not. c_associated(context), "the context")
    call check(quadrille_group_rank(ranks, me))
    call check(quadrille_group_size(ranks, ranks_there))
    call expect(ranks_there == p .and. me >= 0 .and. me < p, "rank and size")
    call check(quadrille_group_barrier(ranks))

    call check(quadrille_plan_alltoall(ranks, n, element, plan=plan))
    call run(plan, "alltoall", blocks(me, 0_c_int64_t, p - 1), received(me))
    call check(quadrille_plan_allgather(ranks, n, element, plan=plan))
    call run(plan, "allgather", blocks(me, 0_c_int64_t, 0_c_int64_t), received(0_c_int64_t))
    call check(quadrille_plan_scatter(ranks, n, element, root, plan=plan))
    call run(plan, "scatter", blocks(root, 0_c_int64_t, p - 1), blocks(root, me, me))
    call check(quadrille_plan_gather(ranks, n, element, root, plan=plan))
    if (me == root) then
      call run(plan, "gather", blocks(me, 5_c_int64_t, 5_c_int64_t), received(5_c_int64_t))
    else
      call run(plan, "gather", blocks(me, 5_c_int64_t, 5_c_int64_t), none)
    end if
    call check(quadrille_plan_broadcast(ranks, n, element, root, plan=plan))
    buffer(1:n) = blocks(me, 0_c_int64_t, 0_c_int64_t)
    call check(quadrille_execute_in_place(plan, buffer))
    call expect(all(buffer(1:n) == blocks(root, 0_c_int64_t, 0_c_int64_t)), "broadcast")
    buffer(1:n) = blocks(me, 7_c_int64_t, 7_c_int64_t)
    call check(quadrille_start_in_place(plan, buffer, request))
    call check(quadrille_wait(request))
    call expect(all(buffer(1:n) == blocks(root, 7_c_int64_t, 7_c_int64_t)), "broadcast that was started")
    call check(quadrille_plan_free(plan))

    call check(quadrille_built_in_operator("sum"//c_null_char, "i64"//c_null_char, addition))
    call check(quadrille_plan_reduce(ranks, 1_c_int64_t, addition, root, plan=plan))
    if (me == root) then
      call run(plan, "reduce", [me], [p * (p - 1) / 2])
    else
      call run(plan, "reduce", [me], none)
    end if
    call check(quadrille_plan_allreduce(ranks, 1_c_int64_t, addition, plan=plan))
    call run(plan, "allreduce", [me], [p * (p - 1) / 2])
    call check(quadrille_plan_scan(ranks, 1_c_int64_t, addition, plan=plan))
    call run(plan, "scan", [me], [me * (me + 1) / 2])
    call check(quadrille_plan_exscan(ranks, 1_c_int64_t, addition, plan=plan))
    call run(plan, "exscan", [me], [merge(-1_c_int64_t, me * (me - 1) / 2, me == 0)])
    call check(quadrille_plan_reduce_scatter(ranks, 1_c_int64_t, addition, plan=plan))
    call run(plan, "reduce_scatter", [me, 2 * me, 3 * me], [(me + 1) * p * (p - 1) / 2])
    counts = [0, 1, 2]
    call check(quadrille_plan_reduce_scatterv(ranks, counts, addition, plan=plan))
    call run(plan, "reduce_scatterv", [me, 2 * me, 2 * me], [(me * p * (p - 1) / 2, rank = 1, me)])

    ! Rank i has i elements. The blocks lie from the end to the beginning.
    places = [5, 3, 0]
    call check(quadrille_plan_allgatherv(ranks, counts, places, element, plan=plan))
    call run(plan, "allgatherv", [(me, rank=1, me)], [2_c_int64_t, 2_c_int64_t, -1_c_int64_t, 1_c_int64_t])
    if (me == root) then
      call check(quadrille_plan_gatherv(ranks, me, counts, element_bytes=element, root=root, plan=plan))
      call run(plan, "gatherv", [me], [1_c_int64_t, 2_c_int64_t, 2_c_int64_t])
      call check(quadrille_plan_scatterv(ranks, counts, places, me, element, root, plan=plan))
    else
      call check(quadrille_plan_gatherv(ranks, me, element_bytes=element, root=root, plan=plan))
      call run(plan, "gatherv", [(me, rank=1, me)], none)
      call check(quadrille_plan_scatterv(ranks, count=me, element_bytes=element, root=root, plan=plan))
    end if
    call run(plan, "scatterv", [10_c_int64_t, 20_c_int64_t, 30_c_int64_t, 40_c_int64_t], &
      [(40 - 30 * (me - 1) + 10 * (rank - 1), rank=1, me)])
    ! Each rank sends 1 element to each; they arrive from the end to the beginning.
    call check(quadrille_plan_alltoallv(ranks, [1_c_int64_t, 1_c_int64_t, 1_c_int64_t], [0_c_int64_t, 1_c_int64_t, 2_c_int64_t], &
      [1_c_int64_t, 1_c_int64_t, 1_c_int64_t], [2_c_int64_t, 1_c_int64_t, 0_c_int64_t], element, plan=plan))
    call run(plan, "alltoallv", [(10 * me + rank, rank=0, p - 1)], [(10 * rank + me, rank=p - 1, 0, -1)])
    options%in_place = 1
    call check(quadrille_plan_alltoallv(ranks, receive_counts=[1_c_int64_t, 1_c_int64_t, 1_c_int64_t], element_bytes=element, &
      options=options, plan=plan))
    buffer(1:p) = [(10 * me + rank, rank=0, p - 1)]
    call check(quadrille_execute_in_place(plan, buffer))
    call expect(all(buffer(1:p) == [(10 * rank + me, rank=0, p - 1)]), "alltoallv in place")
    call check(quadrille_plan_free(plan))

    ! Options: an algorithm, and an output that is turned round.
    direct = ["d", "i", "r", "e", "c", "t", c_null_char]
    options = quadrille_plan_options()
    options%algorithm = c_loc(direct)
    do rank = 0, p - 1
      pieces(rank + 1) = quadrille_piece((p - 1 - rank) * element, element)
    end do
    options%output = quadrille_layout(c_loc(pieces), p)
    call check(quadrille_plan_alltoall(ranks, 1_c_int64_t, element, options, plan))
    call check(quadrille_plan_algorithm(plan, algorithm))
    call expect(index(quadrille_text(algorithm), "direct") == 1, "the algorithm")
    call run(plan, "layouts", [(10 * me + rank, rank=0, p - 1)], [(10 * rank + me, rank=p - 1, 0, -1)])

    ! An operator of the program's own, and requests.
    factor = 1
    call check(quadrille_operator_of_function(c_funloc(add_pairs), c_loc(factor), element, 1_c_int, made=own))
    call check(quadrille_plan_allreduce(ranks, n, own, plan=plan))
    input(1:n) = me
    call check(quadrille_start(plan, input, buffer, requests(1)))
    call check(quadrille_start(plan, input, buffer(n + 1:), requests(2)))
    is_over = 0
    do while (is_over == 0)
      call check(quadrille_test(requests(2), is_over))
    end do
    call check(quadrille_wait_all(2_c_int64_t, requests))
    call expect(all(buffer(1:2 * n) == p * (p - 1) / 2), "requests")
    call check(quadrille_plan_free(plan))
    call check(quadrille_operator_free(own))
    call check(quadrille_operator_free(addition))

    ! Calls without a plan, and an operator that is named by plain text.
    call check(quadrille_built_in_operator("sum", "i64 ", addition))
    input = blocks(me, 0_c_int64_t, p - 1)
    call check(quadrille_call_alltoall(ranks, input, buffer, n, element))
    call expect(all(buffer == received(me)), "a call of alltoall")
    call check(quadrille_call_alltoallv(ranks, input, [n, n, n], output=buffer, receive_counts=[n, n, n], element_bytes=element))
    call expect(all(buffer == received(me)), "a call of alltoallv")
    call check(quadrille_call_allgather(ranks, input, buffer, n, element))
    call expect(all(buffer == received(0_c_int64_t)), "a call of allgather")
    call check(quadrille_call_scatter(ranks, input, buffer, n, element, root))
    call expect(all(buffer(1:n) == blocks(root, me, me)), "a call of scatter")
    call check(quadrille_call_gather(ranks, input, buffer, n, element, root))
    call expect(me /= root .or. all(buffer == received(0_c_int64_t)), "a call of gather")
    buffer = me
    call check(quadrille_call_broadcast(ranks, buffer, n, element, root))
    call expect(all(buffer(1:n) == root), "a call of broadcast")
    input = me
    call check(quadrille_call_reduce(ranks, input, buffer, n, addition, root))
    call expect(me /= root .or. all(buffer(1:n) == p * (p - 1) / 2), "a call of reduce")
    call check(quadrille_call_allreduce(ranks, input, buffer, n, addition))
    call expect(all(buffer(1:n) == p * (p - 1) / 2), "a call of allreduce")
    call check(quadrille_call_reduce_scatter(ranks, input, buffer, n, addition))
    call expect(all(buffer(1:n) == p * (p - 1) / 2), "a call of reduce_scatter")
    call check(quadrille_call_scan(ranks, input, buffer, n, addition))
    call expect(all(buffer(1:n) == me * (me + 1) / 2), "a call of scan")
    call check(quadrille_call_exscan(ranks, input, buffer, n, addition))
    call expect(me == 0 .or. all(buffer(1:n) == me * (me - 1) / 2), "a call of exscan")
    call check(quadrille_operator_free(addition))

    ! Errors.
    call expect(quadrille_execute(plan, input, buffer) == quadrille_misuse, "a freed plan is refused")
    call expect(quadrille_error_text() == "the handle of the plan is NULL; make the plan first", quadrille_error_text())
    call expect(quadrille_group_abort(no_group, 1_c_int) == quadrille_misuse, "no group is refused")
    call expect(quadrille_group_free(no_group) == quadrille_success, "no group is freed")
    call expect(quadrille_launched_world(no_group) == quadrille_misuse, "nothing has launched this process")
    call expect(quadrille_over_handle("nompi"//c_null_char, c_loc(factor), element, no_group) == quadrille_environment, &
      "there is no such MPI")
    error = 0
  end function
end module

program collectives
  use ranks_of_the_test
  implicit none
  call check(quadrille_run_threads(p, c_funloc(body), c_null_ptr))
  call check(quadrille_run_launched(p, c_funloc(body), c_null_ptr))
end program
