#include "CPostgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/eventfd.h>

static struct libpq functions;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    // Local: its symbols and those of its libraries must not reach the program.
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
#define FIND(member, name) \
    if (!(*(void **)&functions.member = dlsym(library, name))) return
    FIND(connectdbParams, "PQconnectdbParams");
    FIND(finish, "PQfinish");
    FIND(status, "PQstatus");
    FIND(socket, "PQsocket");
    FIND(serverVersion, "PQserverVersion");
    FIND(errorMessage, "PQerrorMessage");
    FIND(setnonblocking, "PQsetnonblocking");
    FIND(setNoticeProcessor, "PQsetNoticeProcessor");
    FIND(sendQuery, "PQsendQuery");
    FIND(sendPrepare, "PQsendPrepare");
    FIND(sendQueryPrepared, "PQsendQueryPrepared");
    FIND(flush, "PQflush");
    FIND(consumeInput, "PQconsumeInput");
    FIND(isBusy, "PQisBusy");
    FIND(getResult, "PQgetResult");
    FIND(notifies, "PQnotifies");
    FIND(freemem, "PQfreemem");
    FIND(resultStatus, "PQresultStatus");
    FIND(resultErrorField, "PQresultErrorField");
    FIND(clear, "PQclear");
    FIND(ntuples, "PQntuples");
    FIND(nfields, "PQnfields");
    FIND(ftype, "PQftype");
    FIND(getisnull, "PQgetisnull");
    FIND(getlength, "PQgetlength");
    FIND(getvalue, "PQgetvalue");
    FIND(cmdTuples, "PQcmdTuples");
    FIND(getCancel, "PQgetCancel");
    FIND(cancel, "PQcancel");
    FIND(freeCancel, "PQfreeCancel");
    is_loaded = true;
}

const struct libpq *libpq_load(void) {
    pthread_once(&once, load);
    return is_loaded ? &functions : NULL;
}

int libpq_event(void) { return eventfd(0, EFD_CLOEXEC); }
