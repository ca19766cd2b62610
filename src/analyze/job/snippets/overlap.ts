/** I/O that goes on while the program computes. */
import { entry } from "./entry.ts";
import { capital, type Directed } from "./words.ts";

const cMpi = {
  write: `MPI_Request request;
memcpy(copy, buffer, count); /* so that the next step may change buffer */
MPI_File_iwrite_at_all(fh, offset, copy, count, MPI_BYTE, &request); /* from MPI 3.1 on */
compute_next_step();
MPI_Wait(&request, MPI_STATUS_IGNORE); /* before copy is used again */`,
  read: `MPI_Request request;
MPI_File_iread_at_all(fh, next_offset, next, count, MPI_BYTE, &request); /* from MPI 3.1 on */
compute_with(buffer);
MPI_Wait(&request, MPI_STATUS_IGNORE); /* now next holds the data of the next step */`,
};

const fortranMpi = {
  write: `integer :: request, ierr
copy = buffer  ! so that the next step may change buffer; declare copy asynchronous
call MPI_File_iwrite_at_all(fh, offset, copy, count, MPI_BYTE, request, ierr)  ! from MPI 3.1 on
call compute_next_step()
call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)  ! before copy is used again`,
  read: `integer :: request, ierr
! declare next asynchronous
call MPI_File_iread_at_all(fh, next_offset, next, count, MPI_BYTE, request, ierr)  ! from MPI 3.1 on
call compute_with(buffer)
call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)  ! now next holds the data of the next step`,
};

const cPlain = {
  write: `struct aiocb request = {.aio_fildes = fd, .aio_offset = offset, .aio_buf = copy, .aio_nbytes = count};
const struct aiocb *requests[] = {&request};
memcpy(copy, buffer, count); /* so that the next step may change buffer */
aio_write(&request);
compute_next_step();
aio_suspend(requests, 1, NULL);
if (aio_return(&request) != (ssize_t)count) perror(path); /* before copy is used again */`,
  read: `struct aiocb request = {.aio_fildes = fd, .aio_offset = next_offset, .aio_buf = next, .aio_nbytes = count};
const struct aiocb *requests[] = {&request};
aio_read(&request);
compute_with(buffer);
aio_suspend(requests, 1, NULL);
ssize_t got = aio_return(&request); /* now next holds the data of the next step */
if (got < 0) perror(path);`,
};

const fortranPlain = {
  write: `open(newunit=unit, file=path, access='stream', form='unformatted', asynchronous='yes')
copy = buffer  ! so that the next step may change buffer; declare copy asynchronous
write(unit, asynchronous='yes', id=request) copy
call compute_next_step()
wait(unit, id=request)  ! before copy is used again`,
  read: `open(newunit=unit, file=path, access='stream', form='unformatted', asynchronous='yes', action='read')
read(unit, asynchronous='yes', id=request) next  ! declare next asynchronous
call compute_with(buffer)
wait(unit, id=request)  ! now next holds the data of the next step`,
};

const pythonPlain = {
  write: `from concurrent.futures import ThreadPoolExecutor

writer = ThreadPoolExecutor(max_workers=1)  # once; file writes release the interpreter lock
copy = buffer.copy()  # so that the next step may change buffer
done = writer.submit(file.write, copy)
compute_next_step()
done.result()  # before the program ends: raises what the write raised`,
  read: `from concurrent.futures import ThreadPoolExecutor

reader = ThreadPoolExecutor(max_workers=1)  # once; file reads release the interpreter lock
coming = reader.submit(file.read, count)
compute_with(buffer)
buffer = coming.result()  # the data of the next step`,
};

/** With MPI non-blocking collective calls, else asynchronous I/O of the system. */
const overlap = entry<Directed>("overlap", {
  mpi: {
    c: ({ way }) => cMpi[way],
    fortran: ({ way }) => fortranMpi[way],
    python: ({ way }) => `from mpi4py import MPI

${
  way === "write"
    ? `copy = buffer.copy()  # so that the next step may change buffer
request = fh.I${capital(way).toLowerCase()}_at_all(offset, copy)  # from MPI 3.1 on
compute_next_step()
request.Wait()  # before copy is used again`
    : `request = fh.I${capital(way).toLowerCase()}_at_all(next_offset, following)  # from MPI 3.1 on
compute_with(buffer)
request.Wait()  # now following holds the data of the next step`
}`,
  },
  plain: {
    c: ({ way }) => cPlain[way],
    fortran: ({ way }) => fortranPlain[way],
    python: ({ way }) => pythonPlain[way],
    torch: ({ way }) =>
      way === "write"
        ? pythonPlain.write
        : `from torch.utils.data import DataLoader

# workers read the next batches while the model works on this one
loader = DataLoader(dataset, batch_size=batch, num_workers=4, prefetch_factor=4, persistent_workers=True)`,
  },
});

export const OVERLAP_SNIPPETS = {
  overlap,
};
