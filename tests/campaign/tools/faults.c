/* An LD_PRELOAD library that counts the operations of a process on the files of one folder. At the
 * N-th operation, it kills the process or makes the operation fail.
 *
 * Nothing happens until faults_arm() is called. The caller provides the memory of the counters and
 * may share it with another process.
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { COUNT, KILL_BEFORE, KILL_WITHIN, KILL_AFTER, FAIL, SHORT_WRITE };
enum { CHANGE = 1, READ = 2 };

struct told {
    long count; /* operations so far */
    long fired; /* faults so far */
    char operation[16];
    char path[480];
};

static struct told *told;
static char folder[480];
static long at;
static int kind, error, for_good, classes;

void faults_arm(struct told *where, const char *under, long number, int what, int error_number,
                int again, int which)
{
    strncpy(folder, under, sizeof folder - 1);
    at = number;
    kind = what;
    error = error_number;
    for_good = again;
    classes = which;
    told = where;
}

static void die(void)
{
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;)
        pause();
}

static int inside(const char *path)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* Store the path of a descriptor and return 1, or return 0 if it has none. */
static int path_of(int fd, char *into, size_t size)
{
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, into, size - 1);
    if (length <= 0)
        return 0;
    into[length] = 0;
    return 1;
}

/* Return the fault of an operation on a path; COUNT if there is none. */
static int fate(const char *operation, int class, const char *path)
{
    if (!(classes & class) || !inside(path))
        return COUNT;
    long number = __atomic_add_fetch(&told->count, 1, __ATOMIC_SEQ_CST);
    int writes = strstr(operation, "write") != NULL;
    if (number != at && !(for_good && number > at && class == CHANGE))
        return COUNT;
    if (kind == SHORT_WRITE && !writes)
        return COUNT;
    if (!__atomic_fetch_add(&told->fired, 1, __ATOMIC_SEQ_CST)) {
        strncpy(told->operation, operation, sizeof told->operation - 1);
        strncpy(told->path, path, sizeof told->path - 1);
    }
    if (kind == KILL_BEFORE || (kind == KILL_WITHIN && !writes))
        die();
    return kind;
}

static int fate_at(const char *operation, int class, int dir, const char *path)
{
    char whole[1024], beneath[480];
    int before = errno;
    if (!told || !path)
        return COUNT;
    if (path[0] == '/') {
        snprintf(whole, sizeof whole, "%s", path);
    } else {
        if (dir == AT_FDCWD) {
            if (syscall(SYS_getcwd, beneath, sizeof beneath) < 0)
                return COUNT;
        } else if (!path_of(dir, beneath, sizeof beneath)) {
            return COUNT;
        }
        snprintf(whole, sizeof whole, "%s/%s", beneath, path);
    }
    int what = fate(operation, class, whole);
    errno = before;
    return what;
}

static int fate_of(const char *operation, int class, int fd)
{
    char path[480];
    int before = errno;
    if (!told || !path_of(fd, path, sizeof path))
        return COUNT;
    int what = fate(operation, class, path);
    errno = before;
    return what;
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) \
        real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define FAILS(what, value) \
    if ((what) == FAIL) { \
        errno = error; \
        return value; \
    }
#define AFTER(what) \
    if ((what) == KILL_AFTER) \
        die()

static int class_of_open(int flags)
{
    return flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC) ? CHANGE : READ;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) \
    { \
        REAL(name); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        int what = fate_at("open", class_of_open(flags), AT_FDCWD, path); \
        FAILS(what, -1) \
        int fd = real(path, flags, mode); \
        AFTER(what); \
        return fd; \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
    int name(int dir, const char *path, int flags, ...) \
    { \
        REAL(name); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        int what = fate_at("open", class_of_open(flags), dir, path); \
        FAILS(what, -1) \
        int fd = real(dir, path, flags, mode); \
        AFTER(what); \
        return fd; \
    }
OPENAT(openat)
OPENAT(openat64)

/* Operations on a path or a descriptor that return one value. */
#define SIMPLE(type, name, operation, class, given, passed, asked) \
    type name given \
    { \
        REAL(name); \
        int what = asked; \
        FAILS(what, -1) \
        type value = real passed; \
        AFTER(what); \
        return value; \
    }
#define ON_FD(name, operation, class, given, passed) \
    SIMPLE(int, name, operation, class, given, passed, fate_of(operation, class, fd))
#define ON_PATH(name, operation, dir, given, passed) \
    SIMPLE(int, name, operation, CHANGE, given, passed, fate_at(operation, CHANGE, dir, path))

ON_FD(fsync, "fsync", CHANGE, (int fd), (fd))
ON_FD(fdatasync, "fdatasync", CHANGE, (int fd), (fd))
ON_FD(ftruncate, "ftruncate", CHANGE, (int fd, off_t size), (fd, size))
ON_FD(ftruncate64, "ftruncate", CHANGE, (int fd, off64_t size), (fd, size))
ON_FD(fchmod, "fchmod", CHANGE, (int fd, mode_t mode), (fd, mode))
ON_FD(flock, "lock", CHANGE, (int fd, int how), (fd, how))
ON_PATH(unlink, "unlink", AT_FDCWD, (const char *path), (path))
ON_PATH(unlinkat, "unlink", dir, (int dir, const char *path, int flags), (dir, path, flags))
ON_PATH(rmdir, "rmdir", AT_FDCWD, (const char *path), (path))
ON_PATH(mkdir, "mkdir", AT_FDCWD, (const char *path, mode_t mode), (path, mode))
ON_PATH(mkdirat, "mkdir", dir, (int dir, const char *path, mode_t mode), (dir, path, mode))
ON_PATH(rename, "rename", AT_FDCWD, (const char *path, const char *to), (path, to))
ON_PATH(renameat, "rename", dir, (int dir, const char *path, int other, const char *to),
        (dir, path, other, to))
ON_PATH(link, "link", AT_FDCWD, (const char *path, const char *to), (path, to))
ON_PATH(chmod, "chmod", AT_FDCWD, (const char *path, mode_t mode), (path, mode))

int close(int fd)
{
    REAL(close);
    int what = fate_of("close", CHANGE, fd);
    int value = real(fd); /* Linux closes the descriptor even if close() fails */
    FAILS(what, -1)
    AFTER(what);
    return value;
}

#define WRITE(name, given, some, all) \
    ssize_t name given \
    { \
        REAL(name); \
        int what = fate_of(#name, CHANGE, fd); \
        FAILS(what, -1) \
        if (what == KILL_WITHIN) { \
            (void)!real some; \
            die(); \
        } \
        if (what == SHORT_WRITE && size > 1) \
            return real some; \
        ssize_t written = real all; \
        AFTER(what); \
        return written; \
    }
WRITE(write, (int fd, const void *data, size_t size), (fd, data, size / 2), (fd, data, size))
WRITE(pwrite, (int fd, const void *data, size_t size, off_t place), (fd, data, size / 2, place),
      (fd, data, size, place))
WRITE(pwrite64, (int fd, const void *data, size_t size, off64_t place),
      (fd, data, size / 2, place), (fd, data, size, place))
WRITE(writev, (int fd, const struct iovec *data, int size), (fd, data, size / 2), (fd, data, size))

#define READS(name, given, passed) \
    SIMPLE(ssize_t, name, "read", READ, given, passed, fate_of("read", READ, fd))
READS(read, (int fd, void *data, size_t size), (fd, data, size))
READS(pread, (int fd, void *data, size_t size, off_t place), (fd, data, size, place))
READS(pread64, (int fd, void *data, size_t size, off64_t place), (fd, data, size, place))

#define FCNTL(name) \
    int name(int fd, int command, ...) \
    { \
        REAL(name); \
        va_list rest; \
        va_start(rest, command); \
        void *argument = va_arg(rest, void *); \
        va_end(rest); \
        int locks = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK; \
        int what = locks ? fate_of("lock", CHANGE, fd) : COUNT; \
        FAILS(what, -1) \
        int value = real(fd, command, argument); \
        AFTER(what); \
        return value; \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

#define MMAP(name, offset) \
    void *name(void *place, size_t size, int rights, int flags, int fd, offset start) \
    { \
        REAL(name); \
        int what = fd < 0 ? COUNT : fate_of("mmap", CHANGE, fd); \
        FAILS(what, MAP_FAILED) \
        void *value = real(place, size, rights, flags, fd, start); \
        AFTER(what); \
        return value; \
    }
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)
