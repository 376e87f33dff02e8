! SPDX-License-Identifier: BSD-3-Clause
! Every blocking collective, by one of the three bindings (BINDING_MPIFH, BINDING_MPI or BINDING_F08), with known results.
#if defined(BINDING_F08)
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif
program collectives
#if defined(BINDING_F08)
  use mpi_f08
#elif defined(BINDING_MPI)
  use mpi
#endif
  implicit none
#if defined(BINDING_MPIFH)
  include 'mpif.h'
#endif
  integer :: n, me, i, turn, ierr, wrong
  HANDLE(MPI_Datatype), allocatable :: types(:)
  integer, allocatable :: mine(:), all(:), counts(:), places(:), bytes(:), part(:)
  integer :: one(2), two(2), around(2)
  integer(kind=MPI_ADDRESS_KIND) :: far(2)
  HANDLE(MPI_Comm) :: ring
  wrong = 0
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  allocate (mine(n), all(n), counts(n), places(n), bytes(n), types(n), part(n))
  counts = 1
  places = [(i, i=0, n - 1)]
  bytes = 4*places
  types = MPI_INTEGER
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [n], [.true.], .false., ring, ierr)
  around = [mod(me + n - 1, n), mod(me + 1, n)]
  far = [0, 4]
  do turn = 1, 20
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    one = -1
    if (me == n - 1) one = [turn, 7]
    call MPI_Bcast(one, 2, MPI_INTEGER, n - 1, MPI_COMM_WORLD, ierr)
    call check('bcast', all1(one == [turn, 7]))
    one = [me, turn]; two = -1
    call MPI_Reduce(one, two, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    if (me == 0) call check('reduce', all1(two == [n*(n - 1)/2, n*turn]))
    call MPI_Allreduce(one, two, 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
    call check('allreduce', all1(two == [n - 1, turn]))
    two = one
    call MPI_Allreduce(MPI_IN_PLACE, two, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check('allreduce in place', all1(two == [n*(n - 1)/2, n*turn]))
    mine = me + places
    call MPI_Reduce_scatter(mine, two, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check('reduce_scatter', two(1) == n*(n - 1)/2 + n*me)
    call MPI_Reduce_scatter_block(mine, two, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check('reduce_scatter_block', two(1) == n*(n - 1)/2 + n*me)
    call MPI_Scan(one, two, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check('scan', all1(two == [me*(me + 1)/2, (me + 1)*turn]))
    two = 0
    call MPI_Exscan(one, two, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    if (me > 0) call check('exscan', all1(two == [me*(me - 1)/2, me*turn]))
    all = -1
    call MPI_Gather(me, 1, MPI_INTEGER, all, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    if (me == 0) call check('gather', all1(all == places))
    all = -1
    call MPI_Gatherv(me, 1, MPI_INTEGER, all, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    if (me == 0) call check('gatherv', all1(all == places))
    all = -1
    all(me + 1) = me
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call check('allgather in place', all1(all == places))
    all = -1
    call MPI_Allgatherv(me, 1, MPI_INTEGER, all, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call check('allgatherv', all1(all == places))
    mine = 10*places
    call MPI_Scatter(mine, 1, MPI_INTEGER, one, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call check('scatter', one(1) == 10*me)
    call MPI_Scatterv(mine, counts, places, MPI_INTEGER, two, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call check('scatterv', two(1) == 10*me)
    mine = 100*me + places
    part = 100*places + me
    call MPI_Alltoall(mine, 1, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call check('alltoall', all1(all == part))
    all = -1
    call MPI_Alltoallv(mine, counts, places, MPI_INTEGER, all, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call check('alltoallv', all1(all == part))
    all = -1
    call MPI_Alltoallw(mine, counts, bytes, types, all, counts, bytes, types, MPI_COMM_WORLD, ierr)
    call check('alltoallw', all1(all == part))
    call neighbours()
#if defined(BINDING_F08)
    call without_ierror()
#endif
#if defined(BINDING_F08) && defined(HAS_DESCRIPTORS)
    call sections()
#endif
  end do
  call errors()
  if (wrong > 0) call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  if (me == 0) print '(a)', 'all as expected'
  call MPI_Finalize(ierr)
contains
  logical function all1(each)
    logical, intent(in) :: each(:)
    integer :: k
    all1 = .true.
    do k = 1, size(each)
      all1 = all1 .and. each(k)
    end do
  end function
  subroutine check(what, good)
    character(len=*), intent(in) :: what
    logical, intent(in) :: good
    if (good .and. ierr == MPI_SUCCESS) return
    print '(a,a,a,i0,a,i0)', 'wrong: ', what, ' on rank ', me, ' in turn ', turn
    wrong = wrong + 1
  end subroutine
  ! The same goes to both, because in a ring of two MPI libraries may exchange the blocks in another order.
  subroutine neighbours()
    integer :: ones(2), at(2), twice(2)
    HANDLE(MPI_Datatype) :: both(2)
    ones = 1
    at = [0, 1]
    twice = 10*me + turn
    both = MPI_INTEGER
    two = -1
    call MPI_Neighbor_allgather(twice, 1, MPI_INTEGER, two, 1, MPI_INTEGER, ring, ierr)
    call check('neighbor_allgather', all1(two == 10*around + turn))
    two = -1
    call MPI_Neighbor_allgatherv(twice, 1, MPI_INTEGER, two, ones, at, MPI_INTEGER, ring, ierr)
    call check('neighbor_allgatherv', all1(two == 10*around + turn))
    two = -1
    call MPI_Neighbor_alltoall(twice, 1, MPI_INTEGER, two, 1, MPI_INTEGER, ring, ierr)
    call check('neighbor_alltoall', all1(two == 10*around + turn))
    two = -1
    call MPI_Neighbor_alltoallv(twice, ones, at, MPI_INTEGER, two, ones, at, MPI_INTEGER, ring, ierr)
    call check('neighbor_alltoallv', all1(two == 10*around + turn))
    ! The module mpi_f08 of MPICH 4.0.2 has it on graphs only.
#if !defined(BINDING_F08) || !defined(HAS_DESCRIPTORS)
    two = -1
    call MPI_Neighbor_alltoallw(twice, ones, far, both, two, ones, far, both, ring, ierr)
    call check('neighbor_alltoallw', all1(two == 10*around + turn))
#endif
  end subroutine
  ! An error of the program's reaches the MPI library's check, and its class comes back.
  subroutine errors()
    integer :: code, class
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
    call MPI_Bcast(one, -1, MPI_INTEGER, 0, MPI_COMM_WORLD, code)
    call MPI_Error_class(code, class, ierr)
    call check('the class of an error', class == MPI_ERR_COUNT)
  end subroutine
#if defined(BINDING_F08)
  subroutine without_ierror()
    call MPI_Barrier(MPI_COMM_WORLD)
    all = -1
    call MPI_Alltoall(mine, 1, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD)
    call check('alltoall without ierror', all1(all == part))
    all = 1
    call MPI_Allreduce(MPI_IN_PLACE, all, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check('allreduce without ierror', all1(all == n))
  end subroutine
#endif
#if defined(BINDING_F08) && defined(HAS_DESCRIPTORS)
  ! MPICH passes a section as a datatype that it makes for the call. Alltoall is excluded: the datatype's extent is that of one
  ! block only.
  subroutine sections()
    integer :: wide(3*n), everything(n*n), k
    wide = -7
    if (me == 0) wide(2::3) = places + turn
    call MPI_Bcast(wide(2::3), n, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call check('bcast of a section', all1(wide(2::3) == places + turn) .and. all1(wide(1::3) == -7))
    wide(1::3) = mine
    call MPI_Allgather(wide(1::3), n, MPI_INTEGER, everything, n, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call check('allgather of a section', all1(everything == [(100*(k/n) + mod(k, n), k=0, n*n - 1)]))
  end subroutine
#endif
end program
