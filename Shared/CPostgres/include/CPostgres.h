#ifndef CPOSTGRES_H
#define CPOSTGRES_H

#include <stdbool.h>
#include <stddef.h>

// The part of libpq's interface that PostgresKit uses. It has been binary compatible since PostgreSQL 8.2 (libpq.so.5).
//
// The library is loaded when the first store needs it, not linked: programs with SQLite stores neither need it nor pay for the libraries
// that it loads (OpenSSL, Kerberos, LDAP) with time and memory, and one build serves both kinds of deployments.

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef struct pg_cancel PGcancel;
typedef unsigned int Oid;
typedef void (*PQnoticeProcessor)(void *_Nullable arg, const char *_Nullable message);

typedef struct pgNotify {
    char *_Nullable relname;
    int be_pid;
    char *_Nullable extra;
    struct pgNotify *_Nullable next;
} PGnotify;

struct libpq {
    PGconn *_Nullable (*_Nonnull connectdbParams)(
        const char *_Nullable const *_Nonnull keywords, const char *_Nullable const *_Nonnull values, int expand_dbname);
    void (*_Nonnull finish)(PGconn *_Nonnull);
    int (*_Nonnull status)(const PGconn *_Nonnull);
    int (*_Nonnull socket)(const PGconn *_Nonnull);
    int (*_Nonnull serverVersion)(const PGconn *_Nonnull);
    char *_Nonnull (*_Nonnull errorMessage)(const PGconn *_Nonnull);
    int (*_Nonnull setnonblocking)(PGconn *_Nonnull, int);
    PQnoticeProcessor _Nullable (*_Nonnull setNoticeProcessor)(PGconn *_Nonnull, PQnoticeProcessor _Nonnull, void *_Nullable);
    int (*_Nonnull sendQuery)(PGconn *_Nonnull, const char *_Nonnull);
    int (*_Nonnull sendPrepare)(
        PGconn *_Nonnull, const char *_Nonnull name, const char *_Nonnull query, int count, const Oid *_Nullable types);
    int (*_Nonnull sendQueryPrepared)(
        PGconn *_Nonnull, const char *_Nonnull name, int count, const char *_Nullable const *_Nullable values,
        const int *_Nullable lengths, const int *_Nullable formats, int result_format);
    int (*_Nonnull flush)(PGconn *_Nonnull);
    int (*_Nonnull consumeInput)(PGconn *_Nonnull);
    int (*_Nonnull isBusy)(PGconn *_Nonnull);
    PGresult *_Nullable (*_Nonnull getResult)(PGconn *_Nonnull);
    PGnotify *_Nullable (*_Nonnull notifies)(PGconn *_Nonnull);
    void (*_Nonnull freemem)(void *_Nonnull);
    int (*_Nonnull resultStatus)(const PGresult *_Nonnull);
    char *_Nullable (*_Nonnull resultErrorField)(const PGresult *_Nonnull, int field);
    void (*_Nonnull clear)(PGresult *_Nonnull);
    int (*_Nonnull ntuples)(const PGresult *_Nonnull);
    int (*_Nonnull nfields)(const PGresult *_Nonnull);
    Oid (*_Nonnull ftype)(const PGresult *_Nonnull, int column);
    int (*_Nonnull getisnull)(const PGresult *_Nonnull, int row, int column);
    int (*_Nonnull getlength)(const PGresult *_Nonnull, int row, int column);
    char *_Nonnull (*_Nonnull getvalue)(const PGresult *_Nonnull, int row, int column);
    char *_Nonnull (*_Nonnull cmdTuples)(PGresult *_Nonnull);
    PGcancel *_Nullable (*_Nonnull getCancel)(PGconn *_Nonnull);
    int (*_Nonnull cancel)(PGcancel *_Nonnull, char *_Nonnull message, int size);
    void (*_Nonnull freeCancel)(PGcancel *_Nonnull);
};

/// A descriptor that can be read once a number was written to it, and is not inherited. Negative without free descriptors.
int libpq_event(void);

/// Loads libpq when it is called for the first time.
/// Returns NULL if the library is not installed or too old.
const struct libpq *_Nullable libpq_load(void);

// libpq's enumerations.
enum { libpq_connection_ok = 0 };
enum { libpq_command_ok = 1, libpq_tuples_ok = 2 };
enum { libpq_field_sqlstate = 'C', libpq_field_message = 'M' };

#endif
