/* Remembers of every file how much of it has been forced to disk, so that a power cut can be played: what was not
 * forced is cut off. Preloaded into the log's server. The folder of the environment's FAULTS_DISK holds a file for each
 * inode with its synced size in decimal; a file `slow` there holds the milliseconds that each sync takes longer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void wait_as_told(const char *folder) {
    char path[512], text[16] = "";
    snprintf(path, sizeof path, "%s/slow", folder);
    int file = open(path, O_RDONLY);
    if (file < 0) return;
    if (read(file, text, sizeof text - 1) > 0) usleep(1000 * atoi(text));
    close(file);
}

static void remember(const char *folder, const struct stat *found) {
    char path[512], text[32];
    snprintf(path, sizeof path, "%s/%llu", folder, (unsigned long long)found->st_ino);
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    if (file < 0) return;
    /* A fixed width, so that one write replaces the whole. */
    int length = snprintf(text, sizeof text, "%020llu", (unsigned long long)found->st_size);
    if (pwrite(file, text, length, 0) < length) unlink(path);
    close(file);
}

static int synced(const char *name, int fd) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    const char *folder = getenv("FAULTS_DISK");
    struct stat before;
    int known = folder && fstat(fd, &before) == 0 && S_ISREG(before.st_mode);
    if (known) wait_as_told(folder);
    int result = real(fd);
    if (known && result == 0) remember(folder, &before);
    return result;
}

int fsync(int fd) { return synced("fsync", fd); }
int fdatasync(int fd) { return synced("fdatasync", fd); }
