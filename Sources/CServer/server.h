/* GNU libmicrohttpd, libjwt and OpenSSL as the server calls them: the variadic calls, and what is
   shorter in C. */
#ifndef EVENTLOG_SERVER_H
#define EVENTLOG_SERVER_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <jwt.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* -- HTTP -- */

typedef struct {
  struct sockaddr_storage address;
} server_place;

/* An address such as 127.0.0.1 or ::1; 0 if it is none. */
static inline int server_read_place(const char *host, unsigned short port, server_place *place) {
  memset(place, 0, sizeof *place);
  struct sockaddr_in *four = (struct sockaddr_in *)&place->address;
  struct sockaddr_in6 *six = (struct sockaddr_in6 *)&place->address;
  if (inet_pton(AF_INET, host, &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    return 1;
  }
  if (inet_pton(AF_INET6, host, &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    return 1;
  }
  return 0;
}

typedef struct {
  unsigned int threads, connections, idle_seconds;
  size_t memory;
} server_bounds;

/* Left as it is: the program decodes the target itself, once, and strictly. */
static size_t server_keep_escapes(void *cls, struct MHD_Connection *connection, char *text) {
  (void)cls;
  (void)connection;
  return strlen(text);
}

static inline int server_file(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/* Sends a whole answer past the library, and lets nothing follow it. An answer that does not fit into
   the socket's buffer is cut: the connection closes in any case. */
static inline void server_send_last(
    int file, unsigned int status, const char *headers, const char *body, size_t count,
    int has_body) {
  char head[2048], date[64];
  time_t now = time(NULL);
  struct tm parts;
  gmtime_r(&now, &parts);
  strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  int size = snprintf(
      head, sizeof head,
      "HTTP/1.1 %u %s\r\nDate: %s\r\n%sContent-Length: %zu\r\nConnection: close\r\n\r\n", status,
      MHD_get_reason_phrase_for(status), date, headers, count);
  if (size > 0 && size < (int)sizeof head &&
      send(file, head, (size_t)size, MSG_NOSIGNAL | MSG_DONTWAIT) == size && has_body)
    send(file, body, count, MSG_NOSIGNAL | MSG_DONTWAIT);
  shutdown(file, SHUT_WR);
}

/* What of a request the library reads. */
typedef enum { server_reads_head = 0, server_reads_chunks = 1 } server_stage;

/* Says which socket this thread reads at a stage: -1 if there is none, or more than one. */
typedef struct {
  int (*file)(void *context, server_stage stage);
  void *context;
} server_readings;

/* The library answers a Content-Length that is no number with two status lines, and a chunk extension
   that is longer than its buffer with 500. Both get 400 here, if the library's words can only be about
   one request. It has nothing else to say that its answers do not say. */
static inline void server_hear(void *cls, const char *format, va_list arguments) {
  const server_readings *readings = (const server_readings *)cls;
  int is_length = strstr(format, "Content-Length") != NULL;
  if (!is_length &&
      (strncmp(format, "Error processing request", 24) != 0 || va_arg(arguments, unsigned int) != 500))
    return;
  int file = readings->file(readings->context, is_length ? server_reads_head : server_reads_chunks);
  if (file < 0) return;
  const char *body = is_length
      ? "{\"error\":\"badRequest\",\"message\":\"Content-Length: a number is expected\"}"
      : "{\"error\":\"badRequest\",\"message\":\"a chunk's extension is too long\"}";
  server_send_last(
      file, 400, "Content-Type: application/json\r\nCache-Control: no-store\r\n", body, strlen(body), 1);
}

/* Another descriptor of a connection's socket; -1 if there is none. */
static inline int server_duplicate(int file) { return fcntl(file, F_DUPFD_CLOEXEC, 0); }

/* Reads and drops what has come on a socket, up to `most` bytes. Returns how many: 0 if nothing is
   there now, -1 if nothing will come any more. */
static inline long server_drop(int file, long most) {
  char bytes[65536];
  long dropped = 0;
  while (dropped < most) {
    ssize_t count = recv(file, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count > 0) {
      dropped += count;
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else {
      return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? dropped : -1;
    }
  }
  return dropped;
}

static inline struct MHD_Daemon *server_start(
    int listening, const server_bounds *bounds, server_readings *readings, void *cls,
    MHD_AcceptPolicyCallback accept, MHD_AccessHandlerCallback handle, void *(*begin)(void *, const char *, struct MHD_Connection *),
    MHD_RequestCompletedCallback end, MHD_NotifyConnectionCallback connection) {
  unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
  return MHD_start_daemon(
      flags, 0, accept, cls, handle, cls,
      MHD_OPTION_EXTERNAL_LOGGER, server_hear, readings,
      MHD_OPTION_LISTEN_SOCKET, (MHD_socket)listening,
      MHD_OPTION_THREAD_POOL_SIZE, bounds->threads,
      MHD_OPTION_CONNECTION_LIMIT, bounds->connections,
      MHD_OPTION_CONNECTION_TIMEOUT, bounds->idle_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, bounds->memory,
      MHD_OPTION_STRICT_FOR_CLIENT, MHD_VERSION < 0x01000000 ? 0 : 1,
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

/* The headers that the server reads, in the order of `RequestHead.Header`. Those before
   `server_once_count` may appear at most once; of the others the first counts. Proxies may add lines
   of X-Forwarded-For. */
enum { server_once_count = 15, server_forwarded = 15, server_header_count = 21 };
static const char *const server_header_names[server_header_count] = {
    "Authorization",   "Content-Type",    "Content-Length", "Transfer-Encoding", "Content-Encoding",
    "If-None-Match",   "Idempotency-Key", "Last-Event-ID",  "Origin",            "X-User",
    "x-upsert",        "Host",            "Expect",         "apikey",            "Range",
    "X-Forwarded-For", "X-Request-ID",    "traceparent",    "Prefer",            "Accept",
    "Eventlog-Min-Position"};

typedef struct {
  const char *values[server_header_count];
  /* The lines of X-Forwarded-For. */
  int forwarded;
  /* A header of these came twice or has a NUL in it, or any header is folded or has a name that is
     none. */
  int is_ambiguous;
} server_headers;

/* Whether a value follows its name with white space at most between them. Of a folded header
   (RFC 9112, 5.2) the library copies the name elsewhere, and appends the next line to it. */
static inline int server_is_one_line(const char *name, size_t name_size, const char *value) {
  const char *at = name + name_size + 1;
  if (value < at || value - at > 65536) return 0;
  while (at < value && (*at == ' ' || *at == '\t')) at++;
  return at == value;
}

static enum MHD_Result server_take_header(
    void *cls, enum MHD_ValueKind kind, const char *name, size_t name_size, const char *value,
    size_t value_size) {
  (void)kind;
  server_headers *headers = (server_headers *)cls;
  for (size_t i = 0; i < name_size; i++)
    if (name[i] <= 0x20) headers->is_ambiguous = 1; /* "Content-Length : 5" is none to the library */
  if (value && !server_is_one_line(name, name_size, value)) headers->is_ambiguous = 1;
  for (int i = 0; i < server_header_count; i++) {
    if (strlen(server_header_names[i]) != name_size ||
        strncasecmp(server_header_names[i], name, name_size) != 0)
      continue;
    int is_again = headers->values[i] != NULL;
    if (i == server_forwarded) headers->forwarded++;
    if (is_again && i != server_forwarded && i >= server_once_count) break;
    if ((is_again && i < server_once_count) || (value && memchr(value, 0, value_size)))
      headers->is_ambiguous = 1;
    if (!is_again) headers->values[i] = value ? value : "";
    break;
  }
  return MHD_YES;
}

static inline void server_read_headers(struct MHD_Connection *connection, server_headers *headers) {
  memset(headers, 0, sizeof *headers);
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, server_take_header, headers);
}

typedef struct {
  char *text;
  size_t count, room;
} server_joined;

static enum MHD_Result server_join(
    void *cls, enum MHD_ValueKind kind, const char *name, size_t name_size, const char *value,
    size_t value_size) {
  (void)kind;
  server_joined *joined = (server_joined *)cls;
  const char *wanted = server_header_names[server_forwarded];
  if (strlen(wanted) != name_size || strncasecmp(wanted, name, name_size) != 0) return MHD_YES;
  if (joined->count + value_size + 2 > joined->room) return MHD_NO;
  if (joined->count > 0) joined->text[joined->count++] = ',';
  if (value) memcpy(joined->text + joined->count, value, value_size);
  joined->count += value ? value_size : 0;
  return MHD_YES;
}

/* Writes all lines of X-Forwarded-For, in their order, with commas between them. */
static inline void server_join_forwarded(struct MHD_Connection *connection, char *text, size_t room) {
  server_joined joined = {text, 0, room};
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, server_join, &joined);
  text[joined.count] = 0;
}

/* The address of the client's end of a connection; NULL if it is not known. */
static inline const struct sockaddr *server_client(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

typedef struct {
  unsigned char bytes[16];
} server_address_bytes;

/* The bytes of an IPv6 address; an IPv4 address as ::ffff:a.b.c.d. Returns 0 if it is neither. */
static inline int server_read_address(const struct sockaddr *address, server_address_bytes *into) {
  memset(into, 0, sizeof *into);
  if (!address) return 0;
  if (address->sa_family == AF_INET6) {
    memcpy(into->bytes, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
    return 1;
  }
  if (address->sa_family != AF_INET) return 0;
  into->bytes[10] = into->bytes[11] = 0xff;
  memcpy(into->bytes + 12, &((const struct sockaddr_in *)address)->sin_addr, 4);
  return 1;
}

/* Whether the client of a connection that is not being read has closed it. */
static inline int server_is_closed(struct MHD_Connection *connection) {
  int file = server_file(connection);
  char byte;
  return file >= 0 && recv(file, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
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
   −2 another key, −3 an RSA key whose exponent is less than 3 or even, 0 none. */
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
    BIGNUM *exponent = NULL;
    if (EVP_PKEY_get_bits(key) >= 2048) kind = 1;
    if (!EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent) || !BN_is_odd(exponent) ||
        BN_is_one(exponent))
      kind = -3;
    BN_free(exponent);
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
