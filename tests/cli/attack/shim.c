/* What the attack preloads: it counts the calls of the C library's functions, and at the N-th call of
   one of them makes it fail, write less than it was asked to, or ends the program by a signal.

   TETRASTAT_SHIM="FUNCTION N fail|always|short|signal NUMBER": `fail` makes the one call fail with errno
   NUMBER, `always` that call and all after it; `signal` raises signal NUMBER there.
   TETRASTAT_SHIM_COUNTS=FILE: writes how often each function was called, once the program ends.
   TETRASTAT_SHIM_WATCH=TEXT: counts the files opened whose path has this in it, as `watched` in FILE. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* `change` counts every call that changes a file, whichever it is. */
enum function {
    OPEN, READ, WRITE, RENAME, UNLINK, MKDIR, RMDIR, FSYNC, FTRUNCATE, LSEEK, STAT, FLOCK, OPENDIR,
    READDIR, MMAP, MMAP64, PTHREAD_CREATE, GETRANDOM, PIPE, AFFINITY, GETCWD, CHANGE, FUNCTIONS
};
static const char *const names[FUNCTIONS] = {
    "open", "read", "write", "rename", "unlink", "mkdir", "rmdir", "fsync", "ftruncate", "lseek", "stat",
    "flock", "opendir", "readdir", "mmap", "mmap64", "pthread_create", "getrandom", "pipe", "affinity", "getcwd",
    "change"
};

static atomic_long calls[FUNCTIONS], watched;
static const char *watch;
static char chosen[32], how[16];
static long at;
static int number;

__attribute__((constructor)) static void begin(void) {
    const char *order = getenv("TETRASTAT_SHIM");
    watch = getenv("TETRASTAT_SHIM_WATCH");
    if (order) sscanf(order, "%31s %ld %15s %d", chosen, &at, how, &number);
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("TETRASTAT_SHIM_COUNTS");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    for (int i = 0; i < FUNCTIONS; i++) fprintf(file, "%s %ld\n", names[i], atomic_load(&calls[i]));
    fprintf(file, "watched %ld\n", atomic_load(&watched));
    fclose(file);
}

static void look(const char *path) {
    if (watch && strstr(path, watch)) atomic_fetch_add(&watched, 1);
}

/* Counts a call. Whether it is the chosen one. */
static int due(enum function f) {
    long call = atomic_fetch_add(&calls[f], 1) + 1;
    return at && strcmp(chosen, names[f]) == 0 && (call == at || (call > at && !strcmp(how, "always")));
}

static int is(const char *what) { return strcmp(how, what) == 0; }

/* Counts a call that may be made to fail. */
static int fails(enum function f, int changes) {
    if (changes && due(CHANGE)) kill(getpid(), number);
    if (!due(f)) return 0;
    if (is("signal")) {
        kill(getpid(), number);
        return 0;
    }
    if (is("short")) return 0;
    errno = number;
    return 1;
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

#define MODE \
    va_list list; va_start(list, flags); \
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0; va_end(list)

int open(const char *path, int flags, ...) {
    REAL(int, open, const char *, int, ...); MODE;
    look(path);
    return fails(OPEN, flags & O_CREAT) ? -1 : real(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    REAL(int, open64, const char *, int, ...); MODE;
    look(path);
    return fails(OPEN, flags & O_CREAT) ? -1 : real(path, flags, mode);
}
int openat(int fd, const char *path, int flags, ...) {
    REAL(int, openat, int, const char *, int, ...); MODE;
    look(path);
    return fails(OPEN, flags & O_CREAT) ? -1 : real(fd, path, flags, mode);
}
int openat64(int fd, const char *path, int flags, ...) {
    REAL(int, openat64, int, const char *, int, ...); MODE;
    look(path);
    return fails(OPEN, flags & O_CREAT) ? -1 : real(fd, path, flags, mode);
}
int creat(const char *path, mode_t mode) {
    REAL(int, creat, const char *, mode_t);
    return fails(OPEN, 1) ? -1 : real(path, mode);
}

/* What says why a run ended is let through. A program that is killed may have written half. */
ssize_t write(int fd, const void *bytes, size_t size) {
    REAL(ssize_t, write, int, const void *, size_t);
    if (fd == 2) return real(fd, bytes, size);
    if (fd != 1 && due(CHANGE)) {
        if (number == SIGKILL) real(fd, bytes, size / 2);
        kill(getpid(), number);
    }
    if (!due(WRITE)) return real(fd, bytes, size);
    if (is("short")) return real(fd, bytes, size > 1 ? size / 2 : size);
    if (is("signal")) {
        kill(getpid(), number);
        return real(fd, bytes, size);
    }
    errno = number;
    return -1;
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    if (fd == 2) return real(fd, parts, count);
    return fails(WRITE, fd != 1) ? -1 : real(fd, parts, count);
}
ssize_t read(int fd, void *bytes, size_t size) {
    REAL(ssize_t, read, int, void *, size_t);
    if (!due(READ)) return real(fd, bytes, size);
    if (is("short")) return real(fd, bytes, size > 1 ? size / 2 : size);
    errno = number;
    return -1;
}
int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    return fails(RENAME, 1) ? -1 : real(from, to);
}
int unlink(const char *path) {
    REAL(int, unlink, const char *);
    return fails(UNLINK, 1) ? -1 : real(path);
}
int unlinkat(int fd, const char *path, int flags) {
    REAL(int, unlinkat, int, const char *, int);
    return fails(UNLINK, 1) ? -1 : real(fd, path, flags);
}
int mkdir(const char *path, mode_t mode) {
    REAL(int, mkdir, const char *, mode_t);
    return fails(MKDIR, 1) ? -1 : real(path, mode);
}
int rmdir(const char *path) {
    REAL(int, rmdir, const char *);
    return fails(RMDIR, 1) ? -1 : real(path);
}
int fsync(int fd) {
    REAL(int, fsync, int);
    return fails(FSYNC, 1) ? -1 : real(fd);
}
int fdatasync(int fd) {
    REAL(int, fdatasync, int);
    return fails(FSYNC, 1) ? -1 : real(fd);
}
int ftruncate64(int fd, off64_t size) {
    REAL(int, ftruncate64, int, off64_t);
    return fails(FTRUNCATE, 1) ? -1 : real(fd, size);
}
off64_t lseek64(int fd, off64_t offset, int whence) {
    REAL(off64_t, lseek64, int, off64_t, int);
    return fails(LSEEK, 0) ? -1 : real(fd, offset, whence);
}
int stat64(const char *path, struct stat64 *found) {
    REAL(int, stat64, const char *, struct stat64 *);
    return fails(STAT, 0) ? -1 : real(path, found);
}
int lstat64(const char *path, struct stat64 *found) {
    REAL(int, lstat64, const char *, struct stat64 *);
    return fails(STAT, 0) ? -1 : real(path, found);
}
int fstat64(int fd, struct stat64 *found) {
    REAL(int, fstat64, int, struct stat64 *);
    return fails(STAT, 0) ? -1 : real(fd, found);
}
int statx(int fd, const char *path, int flags, unsigned mask, struct statx *found) {
    REAL(int, statx, int, const char *, int, unsigned, struct statx *);
    return fails(STAT, 0) ? -1 : real(fd, path, flags, mask, found);
}
int flock(int fd, int how_locked) {
    REAL(int, flock, int, int);
    return fails(FLOCK, 0) ? -1 : real(fd, how_locked);
}
DIR *opendir(const char *path) {
    REAL(DIR *, opendir, const char *);
    return fails(OPENDIR, 0) ? NULL : real(path);
}
struct dirent64 *readdir64(DIR *folder) {
    REAL(struct dirent64 *, readdir64, DIR *);
    return fails(READDIR, 0) ? NULL : real(folder);
}
void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
    REAL(void *, mmap, void *, size_t, int, int, int, off_t);
    return fails(MMAP, 0) ? MAP_FAILED : real(address, size, protection, flags, fd, offset);
}
void *mmap64(void *address, size_t size, int protection, int flags, int fd, off64_t offset) {
    REAL(void *, mmap64, void *, size_t, int, int, int, off64_t);
    return fails(MMAP64, 0) ? MAP_FAILED : real(address, size, protection, flags, fd, offset);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    REAL(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    return fails(PTHREAD_CREATE, 0) ? number : real(thread, attributes, run, argument);
}
ssize_t getrandom(void *bytes, size_t size, unsigned flags) {
    REAL(ssize_t, getrandom, void *, size_t, unsigned);
    return fails(GETRANDOM, 0) ? -1 : real(bytes, size, flags);
}
int pipe2(int ends[2], int flags) {
    REAL(int, pipe2, int *, int);
    return fails(PIPE, 0) ? -1 : real(ends, flags);
}
int sched_getaffinity(pid_t process, size_t size, cpu_set_t *found) {
    REAL(int, sched_getaffinity, pid_t, size_t, cpu_set_t *);
    return fails(AFFINITY, 0) ? -1 : real(process, size, found);
}
char *getcwd(char *bytes, size_t size) {
    REAL(char *, getcwd, char *, size_t);
    return fails(GETCWD, 0) ? NULL : real(bytes, size);
}
