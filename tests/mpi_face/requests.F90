! SPDX-License-Identifier: BSD-3-Clause
! Waits for nonblocking collectives by one of the three bindings (BINDING_MPIFH, BINDING_MPI or BINDING_F08). The last rank enters
! each collective half a second after it has heard that the others wait.
#if defined(BINDING_F08)
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif
program requests
#if defined(BINDING_F08)
  use mpi_f08
#elif defined(BINDING_MPI)
  use mpi
#endif
  implicit none
#if defined(BINDING_MPIFH)
  include 'mpif.h'
#endif
  integer :: n, me, ierr, place, done, places(1)
  logical :: is_done
  integer :: input(4000), output(4000)
  HANDLE(MPI_Request) :: open(1)
#if defined(BINDING_F08)
  type(MPI_Status) :: statuses(1)
#else
  integer :: statuses(MPI_STATUS_SIZE, 1)
#endif
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  input = me
  call begin()
  call MPI_Wait(open(1), MPI_STATUS_IGNORE, ierr)
  call begin()
  is_done = .false.
  do while (.not. is_done)
    call MPI_Test(open(1), is_done, MPI_STATUS_IGNORE, ierr)
  end do
  call begin()
  call MPI_Waitall(1, open, statuses, ierr)
  call begin()
  call MPI_Waitany(1, open, place, MPI_STATUS_IGNORE, ierr)
  call begin()
  call MPI_Waitsome(1, open, done, places, statuses, ierr)
  call begin()
  is_done = .false.
  do while (.not. is_done)
    call MPI_Testall(1, open, is_done, statuses, ierr)
  end do
  if (me == 0 .and. output(250*n) == n - 1) print *, 'all as expected'
  call MPI_Finalize(ierr)

contains

  subroutine begin()
    integer :: empty(1), from, now, rate
    if (me == 0) call MPI_Send(empty, 0, MPI_INTEGER, n - 1, 1, MPI_COMM_WORLD, ierr)
    if (me == n - 1) then
      call MPI_Recv(empty, 0, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call system_clock(from, rate)
      now = from
      do while (now - from < rate/2)
        call system_clock(now)
      end do
    end if
    call MPI_Ialltoall(input, 250, MPI_INTEGER, output, 250, MPI_INTEGER, MPI_COMM_WORLD, open(1), ierr)
  end subroutine
end program
