/* OpenSSL and the operating system as the accounts call them: passwords, random bytes, the signing
   key, and the program that sends mail. */
#ifndef EVENTLOG_ACCOUNTS_H
#define EVENTLOG_ACCOUNTS_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Fills a buffer with random bytes; returns 1 on success. */
static inline int server_random(unsigned char *bytes, size_t count) {
  return RAND_priv_bytes(bytes, (int)count) == 1;
}

/* Returns whether two texts of equal length are equal, in a time that does not depend on them. */
static inline int server_is_equal(const unsigned char *a, const unsigned char *b, size_t count) {
  return CRYPTO_memcmp(a, b, count) == 0;
}

/* Derives 32 bytes from a password with scrypt (RFC 7914); returns 1 on success. */
static inline int server_scrypt(
    const char *password, size_t count, const unsigned char *salt, size_t salt_count,
    unsigned long long n, unsigned long long r, unsigned long long p, unsigned char *key) {
  unsigned long long room = 128 * r * (n + p) + (1 << 20);
  return EVP_PBE_scrypt(password, count, salt, salt_count, n, r, p, room, key, 32) == 1;
}

/* Makes a key on P-256 and writes its private half as PEM; returns the length, 0 on failure. */
static inline int server_make_key(char *pem, int room) {
  EVP_PKEY *key = EVP_EC_gen("P-256");
  BIO *text = key ? BIO_new(BIO_s_mem()) : NULL;
  int count = 0;
  if (text && PEM_write_bio_PrivateKey(text, key, NULL, NULL, 0, NULL, NULL))
    count = BIO_read(text, pem, room - 1);
  if (count < 0) count = 0;
  pem[count] = 0;
  BIO_free(text);
  EVP_PKEY_free(key);
  return count;
}

/* Reads the coordinates of the public half of a private key on P-256; returns 1 on success. */
static inline int server_key_point(
    const unsigned char *pem, int count, unsigned char *x, unsigned char *y) {
  BIO *text = BIO_new_mem_buf(pem, count);
  EVP_PKEY *key = text ? PEM_read_bio_PrivateKey(text, NULL, NULL, (void *)"") : NULL;
  BIO_free(text);
  char group[32] = "";
  size_t size = 0;
  BIGNUM *a = NULL, *b = NULL;
  int is_read = key && EVP_PKEY_is_a(key, "EC") &&
      EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, group, sizeof group, &size) &&
      (strcmp(group, "prime256v1") == 0 || strcmp(group, "P-256") == 0) &&
      EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_PUB_X, &a) &&
      EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_PUB_Y, &b) && BN_bn2binpad(a, x, 32) == 32 &&
      BN_bn2binpad(b, y, 32) == 32;
  BN_free(a);
  BN_free(b);
  EVP_PKEY_free(key);
  return is_read;
}

/* Allows only the owner to read and write a file; returns 0 on success. */
static inline int server_make_private(const char *path) { return chmod(path, 0600); }

/* Whether others than the owner may read or write a file. */
static inline int server_is_shared(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && (status.st_mode & 077) != 0;
}

/* Whether a path is a file that the process may execute. */
static inline int server_is_program(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* Waits for a process; kills its group after some seconds. Returns its exit status, -1 if a signal
   ended it. */
static inline int server_wait(pid_t child, int seconds) {
  int status = 0;
  struct timespec pause = {0, 5000000}, now, end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += seconds;
  while (1) {
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (ended < 0 && errno != EINTR) return -1;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec > end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec >= end.tv_nsec)) break;
    nanosleep(&pause, NULL);
  }
  kill(-child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return -1;
}

/* Runs a program without a shell and arguments, with a text of at most 16 KiB as its standard
   input. Its output is dropped, because it may repeat the text. Returns its exit status, -1 if it
   did not end by itself in time, -2 if it could not be started. */
static inline int server_run_program(
    const char *path, const char *input, size_t count, int seconds) {
  int ends[2];
  if (count > 16384 || pipe(ends) != 0) return -2;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  /* The text fits into the pipe, so this does not wait for the program. */
  int is_written = write(ends[1], input, count) == (ssize_t)count;
  close(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
#if defined(__APPLE__)
  flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#elif defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
#endif
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGXFSZ);
  posix_spawnattr_setflags(&attributes, flags);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  char *const arguments[] = {(char *)path, NULL};
  pid_t child = -1;
  int is_started =
      is_written && posix_spawn(&child, path, &actions, &attributes, arguments, environ) == 0;
  close(ends[0]);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return is_started ? server_wait(child, seconds) : -2;
}

#endif
