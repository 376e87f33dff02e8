! SPDX-License-Identifier: BSD-3-Clause
! As faults.c, by one of the three bindings (BINDING_MPIFH, BINDING_MPI or BINDING_F08).
program faults
#if defined(BINDING_F08)
  use mpi_f08
#elif defined(BINDING_MPI)
  use mpi
#endif
  implicit none
#if defined(BINDING_MPIFH)
  include 'mpif.h'
#endif
  integer :: me, ierr, i, length
  double precision :: input(1000), output(1000)
#if defined(BINDING_F08)
  type(MPI_Status) :: status
#else
  integer :: status(MPI_STATUS_SIZE)
#endif
  character(len=40) :: fault
  integer, volatile :: turns
  fault = 'list'
  if (command_argument_count() == 1) call get_command_argument(1, fault)
  if (fault == 'list') then
    print '(a)', 'none 4 quiet', 'skip 4 hang', 'swap 4 hang quick', 'other_root 4 check', 'other_count 4 check quick', &
      'spins 4 hang', 'recv_without_send 4 hang', 'early_return 4 hang'
    stop
  end if
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  input = me
  call iterate(10)
  select case (fault)
  case ('none')
    call iterate(190)
  case ('skip')
    call skip
  case ('swap')
    call swap
  case ('other_root')
    call other_root
  case ('other_count')
    call other_count
  case ('spins')
    if (me == 1) call spin
    call MPI_Barrier(MPI_COMM_WORLD, ierr)  ! HERE spins: ranks 0, 2, 3: Barrier
  case ('recv_without_send')
    call recv_without_send
  case ('early_return')
    call early_return
  case default
    error stop 2
  end select
  call MPI_Finalize(ierr)
  if (me == 0) print '(a)', 'ended well'

contains

  subroutine iterate(count)
    integer, intent(in) :: count
    do i = 1, count
      input = 0.5 * input + me
      call MPI_Allreduce(input, output, 4, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD, ierr)
      call MPI_Bcast(input, 100, MPI_REAL8, 0, MPI_COMM_WORLD, ierr)
      call MPI_Alltoall(input, 10, MPI_REAL8, output, 10, MPI_REAL8, MPI_COMM_WORLD, ierr)
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
    end do
  end subroutine iterate

  subroutine reached(rank)
    integer, intent(in) :: rank
    if (me == rank) write (0, '(a)') 'at the fault'
  end subroutine reached

  subroutine spin
    call reached(1)
    do while (.true.); turns = turns + 1; end do  ! HERE spins: rank 1: spin
  end subroutine spin

  subroutine skip
    call reached(1)
    if (me /= 1) call MPI_Barrier(MPI_COMM_WORLD, ierr)  ! HERE skip: ranks 0, 2, 3: Barrier
    call MPI_Allreduce(input, output, 4, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD, ierr)  ! HERE skip: rank 1: Allreduce; skip
  end subroutine skip

  subroutine swap
    call reached(1)
    if (me == 1) then
      call MPI_Bcast(input, 100, MPI_REAL8, 0, MPI_COMM_WORLD, ierr)  ! HERE swap: rank 1: Bcast; root 0; differs
    else
      call MPI_Allreduce(input, output, 4, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD, ierr)  ! HERE swap: ranks 0, 2, 3: Allreduce
    end if
  end subroutine swap

  subroutine other_root
    integer :: root
    root = merge(2, 0, me == 1)
    call reached(1)
    call MPI_Bcast(input, 100, MPI_REAL8, root, MPI_COMM_WORLD, ierr)  ! HERE other_root: rank 1: Bcast; root 2
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end subroutine other_root

  subroutine other_count
    length = merge(4, 8, me == 1)
    call reached(1)
    call MPI_Allreduce(input, output, length, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD, ierr)  ! HERE other_count: rank 1: 32 B; 64 B
  end subroutine other_count

  subroutine recv_without_send
    call reached(1)
    if (me == 1) call MPI_Recv(input, 4, MPI_REAL8, 3, 7, MPI_COMM_WORLD, status, ierr)  ! HERE recv_without_send: rank 1: tag 7
    call MPI_Barrier(MPI_COMM_WORLD, ierr)  ! HERE recv_without_send: ranks 0, 2, 3: Barrier
  end subroutine recv_without_send

  subroutine early_return  ! rank 1 takes a branch that has one step less
    integer :: step, steps
    steps = merge(4, 5, me == 1)
    do step = 1, steps
      if (step == 5) call reached(0)
      call MPI_Allreduce(input, output, 4, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD, ierr)  ! HERE early_return: ranks 0, 2, 3: Allreduce
    end do
    call MPI_Barrier(MPI_COMM_WORLD, ierr)  ! HERE early_return: rank 1: Barrier
  end subroutine early_return
end program faults
