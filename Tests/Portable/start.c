// Calls the function with standard input as the log, and writes its answer to standard output.
#include <stddef.h>
#include <stdint.h>

#define WASI(name) __attribute__((import_module("wasi_snapshot_preview1"), import_name(#name)))
typedef struct {
  void *bytes;
  size_t count;
} Piece;
WASI(fd_read) int fd_read(int file, const Piece *pieces, size_t count, size_t *done);
WASI(fd_write) int fd_write(int file, const Piece *pieces, size_t count, size_t *done);
WASI(proc_exit) _Noreturn void proc_exit(int code);

void *malloc(size_t size);
void free(void *memory);
void *memcpy(void *to, const void *from, size_t count);

char *followers(const char *log, size_t count, ptrdiff_t *length);

void _start(void) {
  size_t room = 1 << 20, count = 0, done;
  char *log = malloc(room);
  while (1) {
    Piece piece = {log + count, room - count};
    if (fd_read(0, &piece, 1, &done)) proc_exit(74);
    if (!done) break;
    count += done;
    if (count < room) continue;
    char *larger = malloc(room * 2);
    if (!larger) proc_exit(70);
    memcpy(larger, log, count);
    free(log);
    log = larger;
    room *= 2;
  }
  ptrdiff_t length;
  char *answer = followers(log, count, &length);
  int isError = length < 0;
  for (size_t left = isError ? -length : length; left; left -= done, answer += done) {
    Piece piece = {answer, left};
    if (fd_write(isError ? 2 : 1, &piece, 1, &done)) proc_exit(74);
  }
  proc_exit(isError ? 65 : 0);
}
