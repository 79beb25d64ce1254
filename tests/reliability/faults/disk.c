/* Records how much of every file has been synced to disk, so that a test can simulate a power cut by truncating the
 * rest. Preloaded into the log server. The folder in the environment variable FAULTS_DISK has one file per inode with
 * its synced size in decimal; a file `slow` in it has the delay to add to each sync, in milliseconds. */
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
    /* The fixed width makes one write replace the whole text. */
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
