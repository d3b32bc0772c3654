/* SQLite, for the accounts of `serve --accounts` and for mirrors. */
#ifndef EVENTLOG_SQLITE_H
#define EVENTLOG_SQLITE_H

#include <sqlite3.h>

/* SQLITE_TRANSIENT is a cast, which Swift does not import: the library copies the bytes. */
static inline sqlite3_destructor_type sqlite_copies(void) { return SQLITE_TRANSIENT; }

#endif
