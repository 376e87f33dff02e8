! SPDX-License-Identifier: BSD-3-Clause
! An MPI program in Fortran:
!   mpifort $(pkg-config --variable=fortran quadrille-openmpi) alltoall_mpi.f90 $(pkg-config --cflags --libs quadrille-openmpi)
! (or quadrille-mpich)
program alltoall_mpi
  use mpi
  use quadrille
  implicit none
  type(quadrille_group) :: ranks
  type(quadrille_plan) :: exchange, adding
  type(quadrille_operator) :: addition
  type(quadrille_request) :: request
  integer(c_int64_t) :: me, p, to
  integer :: error
  integer, allocatable :: input(:), output(:)
  real(c_double), asynchronous :: mine(1), total(1)

  call MPI_Init(error)
  call check(quadrille_over(MPI_COMM_WORLD, ranks))  ! with the module mpi_f08: MPI_COMM_WORLD%MPI_VAL
  call check(quadrille_group_rank(ranks, me))
  call check(quadrille_group_size(ranks, p))
  allocate (input(p), output(p))
  do to = 0, p - 1
    input(to + 1) = int(100 * me + to)  ! the last two digits are the receiver
  end do

  call check(quadrille_plan_alltoall(ranks, 1_c_int64_t, c_sizeof(error), plan=exchange))  ! 1 element for each rank
  call check(quadrille_execute(exchange, input, output))                                   ! as often as you like

  mine = real(me, c_double)
  call check(quadrille_built_in_operator("sum", "f64", addition))
  call check(quadrille_plan_allreduce(ranks, 1_c_int64_t, addition, plan=adding))
  call check(quadrille_start(adding, mine, total, request))  ! the program may compute something else meanwhile
  call check(quadrille_wait(request))

  print '(a, i0, a, i3.3, a, i3.3, a, f0.1)', "rank ", me, " got ", output(1), " .. ", output(p), ", sum of ranks ", total
  call check(quadrille_plan_free(exchange))
  call check(quadrille_plan_free(adding))
  call check(quadrille_operator_free(addition))
  call check(quadrille_group_free(ranks))
  call MPI_Finalize(error)
contains
  subroutine check(error)
    integer(c_int), intent(in) :: error
    integer :: ignored
    if (error == quadrille_success) return
    print '(a)', quadrille_error_text()
    call MPI_Abort(MPI_COMM_WORLD, 1, ignored)
  end subroutine
end program
