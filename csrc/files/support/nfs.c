#include "files/support/nfs.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <netdb.h>

#include "probe/sockets.h"

/* --- the library --- */
#define NFS_SONAME "libnfs.so."

/* The version in the library's own name; 0 if it has none. Its file may have any name. */
static int nfs_soname_version(void *handle)
{
    const struct link_map *map;
    const char *strings = NULL;
    size_t soname = 0;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) < 0)
        return 0;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_STRTAB)
            strings = (const char *)entry->d_un.d_ptr;
        else if (entry->d_tag == DT_SONAME)
            soname = entry->d_un.d_val;
    }
    if (!strings || !soname || strncmp(strings + soname, NFS_SONAME, strlen(NFS_SONAME)) != 0)
        return 0;
    return atoi(strings + soname + strlen(NFS_SONAME));
}

static int nfs_library_open(struct rk_context *c, struct nfs_library *library)
{
    static const char *const versions[] = {"libnfs.so.16", "libnfs.so.14", "libnfs.so.13"};
    static const struct {
        const char *name;
        size_t place;
    } functions[] = {
#define NFS_FUNCTION(name_) {"nfs_" #name_, offsetof(struct nfs_library, name_)}
        NFS_FUNCTION(init_context),
        NFS_FUNCTION(destroy_context),
        NFS_FUNCTION(set_version),
        NFS_FUNCTION(set_timeout),
        NFS_FUNCTION(set_autoreconnect),
        NFS_FUNCTION(get_error),
        NFS_FUNCTION(mount),
        NFS_FUNCTION(open),
        NFS_FUNCTION(close),
        NFS_FUNCTION(lseek),
        NFS_FUNCTION(pread),
#undef NFS_FUNCTION
    };
    const char *const requested = rk_location(c, "nfs_library");
    *library = (struct nfs_library){.handle = NULL};
    for (size_t i = 0; i < sizeof versions / sizeof *versions && !library->handle; i++)
        library->handle = dlopen(*requested ? requested : versions[i], RTLD_NOW | RTLD_LOCAL);
    if (!library->handle)
        return rk_unsupported(c, "libnfs is not installed; run `make nfs` as root");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *const function = dlsym(library->handle, functions[i].name);
        if (!function) {
            dlclose(library->handle);
            return rk_unsupported(c, "libnfs has no %s(); it is older than version 4",
                                  functions[i].name);
        }
        memcpy((char *)library + functions[i].place, &function, sizeof function);
    }
    const int version = nfs_soname_version(library->handle);
    if (!version) {
        dlclose(library->handle);
        return rk_unsupported(c, "the file set for libnfs has no version in its soname, " NFS_SONAME
                                 "N; name the system's libnfs");
    }
    if (version >= 16) { /* libnfs 6 */
        memcpy(&library->pread_6, &library->pread, sizeof library->pread);
        library->pread = NULL;
    }
    return 0;
}

/* --- where the file is --- */
/* Where the requested server is, or the process from which it is reached ("_process"). NULL
 * for an unknown server. */
static const char *server_place(const struct rk_context *c, const char *what)
{
    static const struct {
        const char *server, *place;
    } known[] = {{"other", "nfs"}, {"near", "nfs_near"}, {"far", "nfs_far"}};
    char name[32];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(rk_text(c, "server"), known[i].server) == 0) {
            snprintf(name, sizeof name, "%s%s", known[i].place, what);
            return rk_location(c, name);
        }
    return NULL;
}

int nfs_locate(struct rk_context *c, struct nfs_file *f)
{
    const char *const at = server_place(c, ""), *const process = server_place(c, "_process");
    if (!at)
        return rk_error(c, EINVAL, "server is \"%.40s\", not other, near or far.",
                        rk_text(c, "server"));
    if (!*at)
        return rk_unsupported(c, "needs an NFS server: set NFS=HOST:/EXPORT");
    const char *const colon = strstr(at, ":/");
    const size_t host = colon ? (size_t)(colon - at) : 0;
    if (!host || host >= sizeof f->host || strlen(colon + 1) >= sizeof f->exported)
        return rk_error(c, EDESTADDRREQ, "The NFS server is \"%.100s\", not HOST:/EXPORT.", at);
    const int bracket = at[0] == '[' && colon[-1] == ']';
    snprintf(f->host, sizeof f->host, "%.*s", (int)host - 2 * bracket, at + bracket);
    snprintf(f->exported, sizeof f->exported, "%s", colon + 1);
    f->served_here = *process != 0;
    snprintf(f->name, sizeof f->name, "%s", f->served_here ? "/data-0" : "/reckon-data");
    return f->served_here ? rk_enter_network_of(c, process) : 0;
}

int nfs_connect(struct rk_context *c, const char *host, const char *port, int *fd)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *addresses = NULL;
    *fd = -1;
    const int unknown = getaddrinfo(host, port, &hints, &addresses);
    if (unknown)
        return rk_error(c, EHOSTUNREACH, "The NFS server %.100s is not found: %s.", host,
                        gai_strerror(unknown));
    int error = EHOSTUNREACH;
    for (const struct addrinfo *item = addresses; item && error; item = item->ai_next) {
        struct sockaddr_storage address = {0};
        memcpy(&address, item->ai_addr, item->ai_addrlen);
        error = -rk_connect_within(NFS_DEADLINE_S, &address, item->ai_addrlen, fd);
    }
    freeaddrinfo(addresses);
    if (error == ECONNREFUSED)
        return rk_error(c, error,
                        "Nothing listens at %.100s port %s; is an NFS server running there%s?",
                        host, port,
                        strcmp(port, RPCBIND_PORT) == 0 ? ", with rpcbind, which NFSv3 needs" : "");
    if (error == ETIMEDOUT)
        return rk_error(c, error,
                        "The NFS server at %.100s did not answer within %d s; is it up, and does a "
                        "firewall let port %s through?",
                        host, NFS_DEADLINE_S, port);
    return error ? rk_error(c, error, "There is no way to the NFS server at %.100s: %s.", host,
                            strerror(error))
                 : 0;
}

int nfs_reach(struct rk_context *c, const char *host, const char *port)
{
    int fd;
    const int status = nfs_connect(c, host, port, &fd);
    if (!status)
        close(fd);
    return status;
}

/* --- mount, open, read --- */
/* libnfs's message on its last error, in one line. */
static const char *nfs_message(const struct nfs_file *f)
{
    static char line[120];
    snprintf(line, sizeof line, "%s", f->library.get_error(f->context) ?: "no reason given");
    line[strcspn(line, "\n")] = 0;
    return line;
}

/* libnfs returns EINTR after its own deadline. */
static int nfs_is_late(int status)
{
    return status == -ETIMEDOUT || status == -EINTR;
}

int nfs_failed(struct rk_context *c, struct nfs_file *f, const char *what, int status)
{
    f->lost = 1;
    if (nfs_is_late(status))
        return rk_error(c, ETIMEDOUT, "The NFS server at %.60s did not answer within %d s (%s).",
                        f->host, NFS_DEADLINE_S, what);
    return rk_error(c, status < 0 ? -status : EIO, "The NFS server at %.60s failed (%s): %s.",
                    f->host, what, nfs_message(f));
}

void nfs_close(struct nfs_file *f)
{
    if (f->file && !f->lost)
        f->library.close(f->context, f->file);
    if (f->context && !f->lost)
        f->library.destroy_context(f->context);
    if (f->library.handle) {
        if (!f->lost)
            dlclose(f->library.handle);
        sigaction(SIGPIPE, &f->sigpipe, NULL);
    }
    *f = (struct nfs_file){.file = NULL};
}

static int nfs_mount_export(struct rk_context *c, struct nfs_file *f, int version)
{
    f->context = f->library.init_context();
    if (!f->context)
        return rk_failed(c, "libnfs", ENOMEM);
    f->library.set_timeout(f->context, NFS_DEADLINE_S * 1000);
    if (f->library.set_version(f->context, version) < 0)
        return rk_unsupported(c, "libnfs refuses NFS version %d", version);
    f->library.set_autoreconnect(f->context, 0); /* a lost connection is a failure, not a wait */
    const int status = f->library.mount(f->context, f->host, f->exported);
    if (status == -ENOENT || status == -EACCES || status == -EPERM)
        return rk_error(c, -status, "%.60s does not export %.60s to this host by NFSv%d (%s).",
                        f->host, f->exported, version, nfs_message(f));
    return status ? nfs_failed(c, f, "mounting", status) : 0;
}

int nfs_open_file(struct rk_context *c, struct nfs_file *f, int version)
{
    *f = (struct nfs_file){.file = NULL};
    int status = nfs_locate(c, f);
    if (!status)
        status = nfs_library_open(c, &f->library);
    if (status) {
        f->library.handle = NULL;
        return status;
    }
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, &f->sigpipe); /* a lost connection is an error, not a signal */
    status = nfs_reach(c, f->host, version == 3 ? RPCBIND_PORT : NFS_PORT);
    if (!status)
        status = nfs_mount_export(c, f, version);
    if (!status) {
        const int bad = f->library.open(f->context, f->name, O_RDONLY, &f->file);
        if (bad == -ENOENT)
            status = rk_error(c, ENOENT,
                              "%.60s:%.60s has no file %s; make one there: head -c 64M "
                              "/dev/urandom > %.60s%s",
                              f->host, f->exported, f->name + 1, f->exported, f->name);
        else if (bad)
            status = nfs_failed(c, f, "opening the file", bad);
    }
    if (status)
        nfs_close(f);
    return status;
}

int nfs_read_failed(struct rk_context *c, struct nfs_file *f, int status)
{
    if (status == -ENODATA)
        return rk_error(c, EIO,
                        "The file on the NFS server at %.60s became shorter while it was read.",
                        f->host);
    return nfs_failed(c, f, "reading", status);
}
