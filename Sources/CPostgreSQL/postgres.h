// PostgreSQL's client library, Debian's libpq-dev, whose headers are in a folder of their own.
#include <poll.h>
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif
