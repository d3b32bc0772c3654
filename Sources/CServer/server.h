/* GNU libmicrohttpd, libjwt and OpenSSL as the server calls them: the variadic calls, and what is
   shorter in C. */
#ifndef EVENTLOG_SERVER_H
#define EVENTLOG_SERVER_H

#include <arpa/inet.h>
#include <errno.h>
#include <jwt.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* -- HTTP -- */

typedef struct {
  struct sockaddr_storage address;
  int is_loopback;
} server_place;

/* An address such as 127.0.0.1 or ::1; 0 if it is none. */
static inline int server_read_place(const char *host, unsigned short port, server_place *place) {
  memset(place, 0, sizeof *place);
  struct sockaddr_in *four = (struct sockaddr_in *)&place->address;
  struct sockaddr_in6 *six = (struct sockaddr_in6 *)&place->address;
  if (inet_pton(AF_INET, host, &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    place->is_loopback = (ntohl(four->sin_addr.s_addr) >> 24) == 127;
    return 1;
  }
  if (inet_pton(AF_INET6, host, &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    place->is_loopback = IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
    return 1;
  }
  return 0;
}

typedef struct {
  unsigned int threads, connections, per_address, idle_seconds;
  size_t memory;
} server_bounds;

/* Left as it is: the program decodes the target itself, once, and strictly. */
static size_t server_keep_escapes(void *cls, struct MHD_Connection *connection, char *text) {
  (void)cls;
  (void)connection;
  return strlen(text);
}

/* What the library has to say of clients is in the statuses that they get. */
static void server_silent(void *cls, const char *format, va_list arguments) {
  (void)cls;
  (void)format;
  (void)arguments;
}

static inline struct MHD_Daemon *server_start(
    const server_place *place, const server_bounds *bounds, void *cls,
    MHD_AccessHandlerCallback handle, void *(*begin)(void *, const char *, struct MHD_Connection *),
    MHD_RequestCompletedCallback end, MHD_NotifyConnectionCallback connection) {
  unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
  if (place->address.ss_family == AF_INET6) flags |= MHD_USE_IPv6;
  return MHD_start_daemon(
      flags, 0, NULL, NULL, handle, cls,
      MHD_OPTION_EXTERNAL_LOGGER, server_silent, NULL,
      MHD_OPTION_SOCK_ADDR, (const struct sockaddr *)&place->address,
      MHD_OPTION_THREAD_POOL_SIZE, bounds->threads,
      MHD_OPTION_CONNECTION_LIMIT, bounds->connections,
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, bounds->per_address,
      MHD_OPTION_CONNECTION_TIMEOUT, bounds->idle_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, bounds->memory,
      MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024u,
      MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_UNESCAPE_CALLBACK, server_keep_escapes, NULL,
      MHD_OPTION_URI_LOG_CALLBACK, begin, cls,
      MHD_OPTION_NOTIFY_COMPLETED, end, cls,
      MHD_OPTION_NOTIFY_CONNECTION, connection, cls, MHD_OPTION_END);
}

// Whether SIGTERM or SIGINT came; StopSignal.swift alone uses it.
static inline volatile sig_atomic_t *server_stop_flag(void) {
  static volatile sig_atomic_t is_asked;
  return &is_asked;
}
static void server_note_stop(int number) {
  *server_stop_flag() = 1;
  signal(number, SIG_DFL);
}
static inline void server_take_stop_signals(void) {
  signal(SIGTERM, server_note_stop);
  signal(SIGINT, server_note_stop);
}
static inline int server_is_stop_asked(void) { return *server_stop_flag(); }

static inline const char *server_error(void) { return strerror(errno); }

static inline unsigned short server_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info ? info->port : 0;
}

/* Headers that may appear at most once: first those that the server reads, in the order of
   `RequestHead.Header`. */
enum { server_header_count = 12 };
static const char *const server_header_names[server_header_count] = {
    "Authorization",   "Content-Type",    "Content-Length", "Transfer-Encoding", "Content-Encoding",
    "If-None-Match",   "Idempotency-Key", "Last-Event-ID",  "Origin",            "X-User",
    "x-upsert",        "Host"};

typedef struct {
  const char *values[server_header_count];
  /* A header of these came twice, or has a NUL in it. */
  int is_ambiguous;
} server_headers;

static enum MHD_Result server_take_header(
    void *cls, enum MHD_ValueKind kind, const char *name, size_t name_size, const char *value,
    size_t value_size) {
  (void)kind;
  server_headers *headers = (server_headers *)cls;
  for (size_t i = 0; i < name_size; i++)
    if (name[i] <= 0x20) headers->is_ambiguous = 1; /* "Content-Length : 5" is none to the library */
  for (int i = 0; i < server_header_count; i++) {
    if (strlen(server_header_names[i]) != name_size ||
        strncasecmp(server_header_names[i], name, name_size) != 0)
      continue;
    if (headers->values[i] || (value && memchr(value, 0, value_size))) headers->is_ambiguous = 1;
    headers->values[i] = value ? value : "";
    break;
  }
  return MHD_YES;
}

static inline void server_read_headers(struct MHD_Connection *connection, server_headers *headers) {
  memset(headers, 0, sizeof *headers);
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, server_take_header, headers);
}

/* Whether the client of a connection that is not being read has closed it. */
static inline int server_is_closed(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  char byte;
  return info && recv(info->connect_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* As many open files as the system lets the process have; returns how many. */
static inline unsigned long server_raise_files(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return (unsigned long)limit.rlim_cur;
}

/* -- Tokens and digests -- */

static inline void server_hmac_sha256(const unsigned char *key, size_t key_count, const unsigned char *bytes,
                                     size_t count, unsigned char *digest) {
  unsigned int size = 32;
  HMAC(EVP_sha256(), key, (int)key_count, bytes, count, digest, &size);
}

static inline void server_sha256(const unsigned char *bytes, size_t count, unsigned char *digest) {
  unsigned int size = 0;
  EVP_Digest(bytes, count, digest, &size, EVP_sha256(), NULL);
}

/* What a PEM holds: 1 an RSA public key of at least 2048 bits, 2 one on P-256, −1 a private key,
   −2 another key, 0 none. */
static inline int server_key_kind(const unsigned char *pem, int count) {
  BIO *text = BIO_new_mem_buf(pem, count);
  if (!text) return 0;
  EVP_PKEY *key = PEM_read_bio_PUBKEY(text, NULL, NULL, NULL);
  BIO_free(text);
  if (!key) {
    text = BIO_new_mem_buf(pem, count);
    EVP_PKEY *secret = text ? PEM_read_bio_PrivateKey(text, NULL, NULL, (void *)"") : NULL;
    BIO_free(text);
    EVP_PKEY_free(secret);
    return secret ? -1 : 0;
  }
  int kind = -2;
  char group[32] = "";
  size_t size = 0;
  if (EVP_PKEY_is_a(key, "RSA")) {
    if (EVP_PKEY_get_bits(key) >= 2048) kind = 1;
  } else if (EVP_PKEY_is_a(key, "EC")) {
    EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, group, sizeof group, &size);
    if (strcmp(group, "prime256v1") == 0 || strcmp(group, "P-256") == 0) kind = 2;
  }
  EVP_PKEY_free(key);
  return kind;
}

static inline int server_write_pem(EVP_PKEY *key, char *pem, int room) {
  BIO *text = key ? BIO_new(BIO_s_mem()) : NULL;
  int count = 0;
  if (text && PEM_write_bio_PUBKEY(text, key)) count = BIO_read(text, pem, room - 1);
  if (count < 0) count = 0;
  pem[count] = 0;
  BIO_free(text);
  return count;
}

static inline EVP_PKEY *server_key_from(const char *type, OSSL_PARAM_BLD *builder) {
  OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
  EVP_PKEY *key = NULL;
  if (parameters && context && EVP_PKEY_fromdata_init(context) == 1)
    EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters);
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_free(parameters);
  OSSL_PARAM_BLD_free(builder);
  return key;
}

/* A JWK's RSA key as PEM; returns its length, 0 if it is none. */
static inline int server_rsa_pem(
    const unsigned char *n, int n_count, const unsigned char *e, int e_count, char *pem, int room) {
  BIGNUM *modulus = BN_bin2bn(n, n_count, NULL), *exponent = BN_bin2bn(e, e_count, NULL);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus);
  OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent);
  EVP_PKEY *key = server_key_from("RSA", builder);
  int count = server_write_pem(key, pem, room);
  EVP_PKEY_free(key);
  BN_free(modulus);
  BN_free(exponent);
  return count;
}

/* A JWK's key on P-256 as PEM; returns its length, 0 if it is none. */
static inline int server_ec_pem(
    const unsigned char *x, const unsigned char *y, char *pem, int room) {
  unsigned char point[65] = {4};
  memcpy(point + 1, x, 32);
  memcpy(point + 33, y, 32);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0);
  OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point);
  EVP_PKEY *key = server_key_from("EC", builder);
  int count = server_write_pem(key, pem, room);
  EVP_PKEY_free(key);
  return count;
}

#endif
