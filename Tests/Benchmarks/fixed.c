/* The same answer to every request: the maximum rate of libmicrohttpd, for comparison in `serve`.
   usage: fixed BYTES */
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct MHD_Response *reply;

static enum MHD_Result answer(
    void *cls, struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *data, size_t *size, void **state) {
  (void)cls, (void)url, (void)method, (void)version, (void)data, (void)size;
  static int seen;
  if (!*state) {
    *state = &seen; /* The library needs the answer in the next call, so that connections stay open. */
    return MHD_YES;
  }
  return MHD_queue_response(connection, MHD_HTTP_OK, reply);
}

int main(int count, char **arguments) {
  size_t size = count == 2 ? (size_t)atol(arguments[1]) : 0;
  char *body = malloc(size + 1);
  if (size == 0 || !body) return fputs("usage: fixed BYTES\n", stderr), 64;
  memset(body, 'x', size);
  reply = MHD_create_response_from_buffer(size, body, MHD_RESPMEM_PERSISTENT);
  MHD_add_response_header(reply, "Content-Type", "application/json");
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, answer, NULL,
      MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
      MHD_OPTION_THREAD_POOL_SIZE, 2u, MHD_OPTION_END);
  if (!daemon) return perror("fixed"), 74;
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  fprintf(stderr, "listening on http://127.0.0.1:%d\n", info->port);
  for (;;) pause();
}
