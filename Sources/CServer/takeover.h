/* Listening sockets, and the socket in a log's folder by which a server gives one to its successor. */
#ifndef EVENTLOG_TAKEOVER_H
#define EVENTLOG_TAKEOVER_H

#include "server.h"
#include <poll.h>
#include <sys/stat.h>
#include <sys/un.h>

static inline void takeover_make_private(int file) { fcntl(file, F_SETFD, FD_CLOEXEC); }

/* A socket that listens at an address; -1 if there can be none, and errno says why. */
static inline int server_listen(const server_place *place) {
  int file = socket(place->address.ss_family, SOCK_STREAM, 0), on = 1;
  if (file < 0) return -1;
  takeover_make_private(file);
  setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  socklen_t size = sizeof(struct sockaddr_in);
  if (place->address.ss_family == AF_INET6) {
    setsockopt(file, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    size = sizeof(struct sockaddr_in6);
  }
  if (bind(file, (const struct sockaddr *)&place->address, size) == 0 && listen(file, 1024) == 0)
    return file;
  int error = errno;
  close(file);
  errno = error;
  return -1;
}

/* Writes the address of a socket that listens on TCP as text. Returns its port, or -1 for any other
   file. */
static inline int server_listening_port(int file, char *text, unsigned int room) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  int listens = 0;
  socklen_t int_size = sizeof listens;
  if (getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &listens, &int_size) != 0 || !listens) return -1;
  if (getsockname(file, (struct sockaddr *)&address, &size) != 0) return -1;
  const struct sockaddr_in *four = (const struct sockaddr_in *)&address;
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address;
  if (address.ss_family == AF_INET && inet_ntop(AF_INET, &four->sin_addr, text, room))
    return ntohs(four->sin_port);
  if (address.ss_family == AF_INET6 && inet_ntop(AF_INET6, &six->sin6_addr, text, room))
    return ntohs(six->sin6_port);
  return -1;
}

/* The address of a socket in a folder. A path that is too long for an address is written with a
   descriptor of the folder, which the caller closes; -1 if there is none. */
static inline int takeover_address(
    const char *folder, const char *name, struct sockaddr_un *address, int *opened) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  *opened = -1;
  int size = (int)sizeof address->sun_path;
  if (snprintf(address->sun_path, sizeof address->sun_path, "%s/%s", folder, name) < size) return 0;
  *opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (*opened < 0) return -1;
  snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", *opened, name);
  return 0;
}

/* Creates a socket in a folder that only its owner can connect to, and listens on it; -1 if that
   fails. Replaces an earlier one. */
static inline int takeover_listen(const char *folder, const char *name) {
  struct sockaddr_un address;
  int opened, file = socket(AF_UNIX, SOCK_STREAM, 0);
  if (file < 0) return -1;
  takeover_make_private(file);
  fcntl(file, F_SETFL, O_NONBLOCK);
  int is_bound = 0;
  if (takeover_address(folder, name, &address, &opened) == 0) {
    unlink(address.sun_path);
    is_bound = bind(file, (struct sockaddr *)&address, sizeof address) == 0 &&
        chmod(address.sun_path, 0600) == 0 && listen(file, 8) == 0;
  }
  int error = errno;
  if (opened >= 0) close(opened);
  if (!is_bound) close(file);
  errno = error;
  return is_bound ? file : -1;
}

static inline void takeover_remove(const char *folder, const char *name) {
  struct sockaddr_un address;
  int opened;
  if (takeover_address(folder, name, &address, &opened) == 0) unlink(address.sun_path);
  if (opened >= 0) close(opened);
}

/* Connects to a server's socket; -2 if no server listens there; -1 for another error, and errno says
   why. */
static inline int takeover_connect(const char *folder, const char *name) {
  struct sockaddr_un address;
  int opened, file = socket(AF_UNIX, SOCK_STREAM, 0);
  if (file < 0) return -1;
  takeover_make_private(file);
  int is_open = takeover_address(folder, name, &address, &opened) == 0 &&
      connect(file, (struct sockaddr *)&address, sizeof address) == 0;
  int error = errno;
  if (opened >= 0) close(opened);
  if (!is_open) close(file);
  errno = error;
  if (is_open) return file;
  return error == ENOENT || error == ECONNREFUSED ? -2 : -1;
}

/* Whether the other end of a connection is a process of this user, or of root. */
static inline int takeover_is_own(int file) {
#ifdef SO_PEERCRED
  struct { pid_t process; uid_t user; gid_t group; } other;
  socklen_t size = sizeof other;
  if (getsockopt(file, SOL_SOCKET, SO_PEERCRED, &other, &size) != 0) return 0;
  uid_t user = other.user;
#else
  uid_t user;
  gid_t group;
  if (getpeereid(file, &user, &group) != 0) return 0;
#endif
  return user == geteuid() || user == 0;
}

/* The next connection; -1 if there is none now. */
static inline int takeover_accept(int listening) {
  int file = accept(listening, NULL, NULL);
  if (file < 0) return -1;
  takeover_make_private(file);
  if (takeover_is_own(file)) return file;
  close(file);
  return -1;
}

/* Sends a line, and a descriptor unless it is -1. Returns whether that succeeded. */
static inline int takeover_send(int file, const char *line, int passed) {
  struct iovec bytes = {(void *)line, strlen(line)};
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message;
  memset(&message, 0, sizeof message);
  memset(&control, 0, sizeof control);
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  if (passed >= 0) {
    message.msg_control = control.room;
    message.msg_controllen = sizeof control.room;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &passed, sizeof passed);
  }
  return sendmsg(file, &message, MSG_NOSIGNAL) == (ssize_t)bytes.iov_len;
}

/* Reads a byte, and a descriptor if one comes with it. Returns 1, 0 if nothing came within some
   milliseconds, or -1 at the connection's end. */
static inline int takeover_read(int file, char *byte, int *passed, int milliseconds) {
  struct pollfd watched = {file, POLLIN, 0};
  if (poll(&watched, 1, milliseconds) <= 0) return 0;
  struct iovec bytes = {byte, 1};
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control.room;
  message.msg_controllen = sizeof control.room;
  ssize_t count = recvmsg(file, &message, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (count <= 0) return -1;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
    int received;
    memcpy(&received, CMSG_DATA(header), sizeof received);
    takeover_make_private(received);
    if (*passed >= 0) close(*passed);
    *passed = received;
  }
  return 1;
}

/* The first socket that systemd passes to this process; -1 if it passes none. Child processes do not
   get it. */
static inline int takeover_activated(void) {
  const char *process = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
  int is_passed = process && count && strtol(process, NULL, 10) == (long)getpid() && atoi(count) >= 1;
  unsetenv("LISTEN_PID");
  unsetenv("LISTEN_FDS");
  unsetenv("LISTEN_FDNAMES");
  if (!is_passed) return -1;
  takeover_make_private(3);
  return 3;
}

#endif
