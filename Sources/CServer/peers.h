/* libcurl as a server calls it to pass requests to another server. */
#ifndef EVENTLOG_PEERS_H
#define EVENTLOG_PEERS_H

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  unsigned char *bytes;
  size_t count, room, most;
  long status;
} peer_answer;

static size_t peer_take(char *data, size_t size, size_t count, void *context) {
  peer_answer *answer = (peer_answer *)context;
  size_t added = size * count;
  if (answer->count + added > answer->most) return 0;
  if (answer->count + added > answer->room) {
    size_t room = (answer->count + added) * 2;
    unsigned char *bytes = (unsigned char *)realloc(answer->bytes, room);
    if (!bytes) return 0;
    answer->bytes = bytes;
    answer->room = room;
  }
  memcpy(answer->bytes + answer->count, data, added);
  answer->count += added;
  return added;
}

/* Says whether the request should end before its answer came. */
typedef int (*peer_is_over)(void *context);

typedef struct {
  peer_is_over is_over;
  void *context;
} peer_watch;

static int peer_check(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
  (void)a, (void)b, (void)c, (void)d;
  const peer_watch *watch = (const peer_watch *)context;
  return watch->is_over(watch->context);
}

/* A handle, which keeps its connection for the next request. */
static inline void *peer_open(void) { return curl_easy_init(); }
static inline void peer_close(void *handle) { curl_easy_cleanup((CURL *)handle); }

/* Posts bytes. Returns 1 if an answer came, 0 if nothing was sent, -1 if the outcome is not known. */
static inline int peer_post(
    void *handle, const char *url, const char *authorization, const unsigned char *body, size_t count,
    peer_watch *watch, peer_answer *answer) {
  CURL *curl = (CURL *)handle;
  struct curl_slist *headers = curl_slist_append(NULL, authorization);
  headers = curl_slist_append(headers, "Content-Type: application/octet-stream");
  headers = curl_slist_append(headers, "Expect:");
  curl_easy_setopt(curl, CURLOPT_URL, url);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, 2000L);
  /* A server that no longer answers the system's probes is noticed after about 25 s. */
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPIDLE, 5L);
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPINTVL, 2L);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, peer_take);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, peer_check);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, watch);
  CURLcode code = curl_easy_perform(curl);
  curl_slist_free_all(headers);
  if (code == CURLE_OK) {
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer->status);
    return 1;
  }
  /* If a kept connection has ended, curl sends the request once more. This counts both. */
  long sent = 0;
  curl_easy_getinfo(curl, CURLINFO_REQUEST_SIZE, &sent);
  return sent == 0 ? 0 : -1;
}

#endif
