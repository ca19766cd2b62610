/*
 * `ways WAY FILE`: writes to FILE and ends in one of many ways. Every write has 1000 bytes and a place of its own; the
 * number of writes is in the table of test/record.test.ts.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char buffer[1000];
static const char *path;
extern char **environ;

static void fail(const char *what)
{
    perror(what);
    exit(9);
}
static int open_file(void)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0) fail("open");
    return fd;
}
static void put(int fd, int count)
{
    for (int i = 0; i < count; i++)
        if (pwrite(fd, buffer, sizeof buffer, (off_t)i * 1000) != sizeof buffer) fail("pwrite");
}
static void *in_thread(void *unused)
{
    (void)unused;
    int fd = open_file();
    put(fd, 1000);
    close(fd);
    return NULL;
}
static int wait_for(pid_t pid)
{
    int status;
    if (waitpid(pid, &status, 0) != pid) fail("waitpid");
    return status;
}
static sigjmp_buf back;
static void jump(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}
static int handled_fd;
static void write_in_handler(int signal)
{
    (void)signal;
    put(handled_fd, 1);
}

/* What another program could do to the recorder's files meanwhile. */
static void cut_traces(void)
{
    char name[4200];
    const char *folder = getenv("PLIMSOLL_RECORD");
    DIR *list = folder ? opendir(folder) : NULL;
    struct dirent *entry;
    int cut = 0;
    while (list && (entry = readdir(list))) {
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        if (strstr(entry->d_name, ".plt") && truncate(name, 0) == 0) cut++;
    }
    if (list) closedir(list);
    if (folder && cut == 0) fail("no trace to cut");
}
static void *write_with_all_blocked(void *unused)
{
    sigset_t all, now;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    if (!sigismember(&now, SIGBUS) || !sigismember(&now, SIGTERM)) fail("mask");
    return in_thread(unused);
}
static int bus_errors;
static void on_bus(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    bus_errors += info->si_code == BUS_ADRERR;
    siglongjmp(back, 1);
}
/* Touches memory whose file is gone. */
static void make_bus_error(void)
{
    char name[4200];
    snprintf(name, sizeof name, "%s.map", path);
    int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (ftruncate(fd, 4096) != 0) fail("ftruncate");
    volatile char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ftruncate(fd, 0) != 0) fail("ftruncate");
    unlink(name);
    *memory = 1;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    path = argc > 2 ? argv[2] : "";
    int fd = open_file();
    if (!strcmp(way, "plain")) {
        put(fd, 10);
    } else if (!strcmp(way, "many")) {
        put(fd, 200000);
    } else if (!strcmp(way, "exit-code")) {
        put(fd, 1);
        return 42;
    } else if (!strcmp(way, "_exit")) {
        put(fd, 10);
        _exit(3);
    } else if (!strcmp(way, "abort")) {
        struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        put(fd, 10);
        abort();
    } else if (!strcmp(way, "kill")) {
        put(fd, 5000);
        kill(getpid(), SIGKILL);
    } else if (!strcmp(way, "threads")) {
        pthread_t threads[4];
        for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, in_thread, NULL);
        for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    } else if (!strcmp(way, "fork")) {
        /* The children begin together, however busy the machine is: each waits until all are there. */
        atomic_int *there = mmap(NULL, sizeof *there, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (there == MAP_FAILED) fail("mmap");
        put(fd, 1);
        for (int i = 0; i < 3; i++)
            if (fork() == 0) {
                atomic_fetch_add(there, 1);
                while (atomic_load(there) < 3) usleep(100);
                put(fd, 10);
                _exit(0);
            }
        while (wait(NULL) > 0) {}
        put(fd, 1);
    } else if (!strcmp(way, "raw-fork")) {
        put(fd, 1);
        pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (pid == 0) {
            put(fd, 10);
            _exit(0);
        }
        wait_for(pid);
    } else if (!strcmp(way, "exec")) {
        put(fd, 1);
        execl(argv[0], argv[0], "plain", path, (char *)NULL);
        fail("exec");
    } else if (!strcmp(way, "bare-environment")) {
        char *const none[] = {NULL};
        char *const words[] = {argv[0], "plain", (char *)path, NULL};
        put(fd, 1);
        execve(argv[0], words, none);
        fail("exec");
    } else if (!strcmp(way, "vfork")) {
        put(fd, 1);
        pid_t pid = vfork();
        if (pid == 0) {
            execl(argv[0], argv[0], "plain", path, (char *)NULL);
            _exit(9);
        }
        if (wait_for(pid) != 0) fail("child");
        put(fd, 1);
    } else if (!strcmp(way, "spawn")) {
        pid_t pid;
        char *const none[] = {"PATH=/usr/bin", NULL};
        char *const words[] = {argv[0], "plain", (char *)path, NULL};
        if (posix_spawn(&pid, argv[0], NULL, NULL, words, none) != 0) fail("spawn");
        if (wait_for(pid) != 0) fail("child");
    } else if (!strcmp(way, "close-all")) {
        put(fd, 1);
        for (int i = 3; i < 1024; i++) close(i);
        fd = open_file();
        if (fd != 3) fail("a descriptor is in the way");
        put(fd, 5000);
        close_range(3, ~0U, 0);
        fd = open_file();
        put(fd, 1);
    } else if (!strcmp(way, "file-limit")) {
        /* The writes stay below; a trace that grows would not. */
        struct rlimit limit = {300000, 300000};
        setrlimit(RLIMIT_FSIZE, &limit);
        for (int i = 0; i < 100; i++) put(fd, 200);
    } else if (!strcmp(way, "jump")) {
        /* Out of a read in a signal handler, and then accesses that are nobody's inner ones. */
        int pipes[2];
        char one;
        if (pipe(pipes) != 0) fail("pipe");
        signal(SIGALRM, jump);
        FILE *stream = fdopen(pipes[0], "r");
        if (sigsetjmp(back, 1) == 0) {
            /* Long enough to be within the read even where the machine is busy. */
            ualarm(500000, 0);
            if (fread(&one, 1, 1, stream) != 0) fail("fread");
        }
        put(fd, 10);
    } else if (!strcmp(way, "handler")) {
        struct itimerval;
        handled_fd = fd;
        signal(SIGUSR1, write_in_handler);
        for (int i = 0; i < 100; i++) {
            put(fd, 1);
            raise(SIGUSR1);
        }
    } else if (!strcmp(way, "sandbox")) {
        /* Only these calls live; whatever else the recorder would do kills the program. */
        put(fd, 10);
        struct sock_filter only[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 3, 0),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpid, 1, 0),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog program = {sizeof only / sizeof *only, only};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) fail("seccomp");
        put(fd, 10);
        _exit(0);
    } else if (!strcmp(way, "files")) {
        char name[4200];
        for (int i = 0; i < 300; i++) {
            snprintf(name, sizeof name, "%s.%d", path, i);
            int one = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
            put(one, 1);
            close(one);
            unlink(name);
        }
    } else if (!strcmp(way, "cut")) {
        /* Enough for several parts of the trace, with a cut before and between. */
        pthread_t thread;
        put(fd, 10);
        cut_traces();
        put(fd, 70000);
        cut_traces();
        pthread_create(&thread, NULL, write_with_all_blocked, NULL);
        pthread_join(thread, NULL);
        return 6;
    } else if (!strcmp(way, "own-bus")) {
        struct sigaction action = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO}, old;
        put(fd, 5);
        if (sigaction(SIGBUS, NULL, &old) != 0 || old.sa_handler != SIG_DFL) fail("not the usual action at first");
        if (sigaction(SIGBUS, &action, &old) != 0 || old.sa_handler != SIG_DFL) fail("not the usual action before");
        if (sigaction(SIGBUS, NULL, &old) != 0 || old.sa_sigaction != on_bus) fail("not our own action");
        for (int i = 0; i < 2; i++)
            if (sigsetjmp(back, 1) == 0) make_bus_error();
        if (bus_errors != 2) fail("bus errors");
        if (signal(SIGBUS, SIG_IGN) != (void (*)(int))on_bus) fail("signal");
        raise(SIGBUS);
        put(fd, 5);
    } else if (!strcmp(way, "bus")) {
        struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        put(fd, 10);
        make_bus_error();
    } else if (!strcmp(way, "raised-bus")) {
        struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        put(fd, 10);
        raise(SIGBUS);
    } else if (!strcmp(way, "strict")) {
        /* Only read, write and _exit live, and the clock of the recorder does not. */
        put(fd, 10);
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) fail("seccomp");
        for (int i = 0; i < 3; i++)
            if (write(fd, buffer, sizeof buffer) != sizeof buffer) syscall(SYS_exit, 1);
        syscall(SYS_exit, 0);
    } else {
        fprintf(stderr, "unknown way: %s\n", way);
        return 2;
    }
    return 0;
}
