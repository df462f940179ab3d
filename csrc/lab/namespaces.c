/* namespaces.c: the lab's namespaces, each step tried alone: on some machines the first is allowed
 * and the next is not, and only the step that failed shows why. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/lab.h"
#include "probe/kernel_files.h"

const char *const lab_address[2] = {"10.77.0.1", "10.77.0.2"};
const char *const lab_address6[2] = {"fd77::1", "fd77::2"};

#define OR_REAL_HOST ", or name a real host with PEER=."

/* An ordinary user may do what follows only in a user namespace, and not everywhere. */
__attribute__((noreturn)) static void forbidden(const char *what, int error)
{
    if (error == EAGAIN)
        lab_stop(what, error);
    if (error == EINVAL || error == ENOSYS)
        lab_unsupported("Run a kernel with CONFIG_NET_NS, CONFIG_USER_NS and "
                        "CONFIG_PID_NS" OR_REAL_HOST,
                        "this kernel is built without %s (%s)", what, strerror(error));
    if (rk_number_in("/proc/sys/user/max_user_namespaces") == 0)
        lab_unsupported("Run as root, or allow them: sysctl "
                        "user.max_user_namespaces=15000" OR_REAL_HOST,
                        "user namespaces are switched off here (user.max_user_namespaces is 0)");
    if (rk_number_in("/proc/sys/user/max_net_namespaces") == 0)
        lab_unsupported("Run as root, or allow them: sysctl "
                        "user.max_net_namespaces=15000" OR_REAL_HOST,
                        "network namespaces are switched off here (user.max_net_namespaces is 0)");
    if (rk_number_in("/proc/sys/kernel/unprivileged_userns_clone") == 0)
        lab_unsupported(
            "Run as root, or allow them: sysctl kernel.unprivileged_userns_clone=1" OR_REAL_HOST,
            "user namespaces are kept for root here (kernel.unprivileged_userns_clone is 0)");
    if (rk_number_in("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1)
        lab_unsupported("Run as root, or allow it: sysctl "
                        "kernel.apparmor_restrict_unprivileged_userns=0" OR_REAL_HOST,
                        "AppArmor keeps namespaces from ordinary users here (%s: %s)", what,
                        strerror(error));
    lab_unsupported("Run as root; in a container, with the capability SYS_ADMIN" OR_REAL_HOST,
                    "namespaces are forbidden here (%s: %s)", what, strerror(error));
}

/* Becomes root of a user namespace of its own. */
static void become_its_root(void)
{
    const unsigned user = geteuid(), group = getegid();
    char map[64];
    if (unshare(CLONE_NEWUSER) < 0)
        forbidden("a user namespace", errno);
    int status = rk_write_text("/proc/self/setgroups", "deny"); /* or no gid_map may be written */
    snprintf(map, sizeof map, "0 %u 1\n", user);
    if (!status || status == -ENOENT)
        status = rk_write_text("/proc/self/uid_map", map);
    snprintf(map, sizeof map, "0 %u 1\n", group);
    if (!status)
        status = rk_write_text("/proc/self/gid_map", map);
    if (status)
        forbidden("the user's own identity in a user namespace", -status);
}

static int this_net(void)
{
    const int fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        lab_unsupported("Mount /proc" OR_REAL_HOST, "/proc/self/ns/net does not open: %s",
                        strerror(errno));
    return fd;
}

void lab_enter(const struct lab *lab, enum lab_side side)
{
    if (setns(lab->net[side], CLONE_NEWNET) < 0)
        lab_stop("entering a network namespace of the lab", errno);
}

/* cubic, what most systems use, or reno, which every namespace allows. The machine's own may be
 * bbr, whose pacing shows in a round trip. */
static void choose_congestion(struct lab *lab)
{
    static const char path[] = "/proc/sys/net/ipv4/tcp_congestion_control";
    if (rk_write_text(path, "cubic"))
        rk_write_text(path, "reno"); /* where that fails too, what is in force is reported */
    rk_read_text(path, lab->congestion, sizeof lab->congestion);
    lab->congestion[strcspn(lab->congestion, "\n")] = 0;
}

/* Addresses and devices of one host. */
void lab_set_up_host(struct lab *lab, enum lab_side side)
{
    struct in_addr v4;
    struct in6_addr v6;
    inet_pton(AF_INET, lab_address[side], &v4);
    inet_pton(AF_INET6, lab_address6[side], &v6);
    lab_enter(lab, side);
    choose_congestion(lab);
    int status = lab_link_up("lo");
    if (!status)
        status = lab_link_prepare(LAB_DEVICE);
    if (!status)
        status = lab_link_up(LAB_DEVICE);
    if (!status)
        status = lab_link_address(LAB_DEVICE, AF_INET, &v4, 24);
    if (!status && lab->path == LAB_PACKET)
        status = lab_set_neighbour(side);
    if (status)
        lab_stop("setting up the lab's devices", -status);
    /* IPv6 may be switched off. */
    lab->ipv6 = lab_link_address(LAB_DEVICE, AF_INET6, &v6, 64) == 0;
}

/* Two new network namespaces and a path between them; new for each path, so that nothing of one
 * that failed remains. 0 or -errno. */
static int try_path(struct lab *lab, enum lab_path path)
{
    for (int side = LAB_CLIENT; side <= LAB_PEER; side++) {
        if (lab->net[side])
            close(lab->net[side]);
        if (lab->port[side].fd > 0)
            close(lab->port[side].fd);
        lab->port[side].fd = -1;
        if (unshare(CLONE_NEWNET) < 0)
            forbidden("a network namespace", errno);
        lab->net[side] = this_net();
    }
    lab->path = path;
    return path == LAB_TUN ? lab_open_tun(lab) : lab_open_packet(lab);
}

/* Enters a new network namespace; 0 where this takes a user namespace too: unless root, and in a
 * container even then. */
static int entered_new_network(void)
{
    if (geteuid() != 0)
        return 0;
    if (unshare(CLONE_NEWNET) == 0)
        return 1;
    if (errno != EPERM)
        forbidden("a network namespace", errno);
    return 0;
}

/* The reason why no path could be opened: a TUN device may be missing, or closed to this user. */
static void no_path(enum lab_path requested, int tun_error, const char *packet)
{
    const int closed = tun_error == EACCES || tun_error == EPERM;
    char tun[128], remedy[256];
    if (requested == LAB_PACKET)
        lab_unsupported("Load it: modprobe veth" OR_REAL_HOST,
                        "there are no packet sockets on virtual Ethernet here (%s)", packet);
    snprintf(tun, sizeof tun,
             closed ? "this user may not open /dev/net/tun (%s)"
                    : "there is no TUN device here (%s)",
             strerror(tun_error));
    snprintf(remedy, sizeof remedy, "%s%s" OR_REAL_HOST,
             closed ? "Open it to everyone: chmod 0666 /dev/net/tun"
                    : "Load it: modprobe tun; in a container, --device /dev/net/tun",
             requested == LAB_ANY ? "; or load the other: modprobe veth" : "");
    if (requested == LAB_TUN)
        lab_unsupported(remedy, "%s", tun);
    lab_unsupported(remedy, "%s, and there are no packet sockets on virtual Ethernet (%s)", tun,
                    packet);
}

void lab_open_namespaces(struct lab *lab)
{
    /* Packet sockets have time stamps, but room for a burst needs root. */
    enum lab_path paths[2] = {LAB_PACKET, LAB_TUN};
    if (!entered_new_network()) {
        become_its_root();
        paths[0] = LAB_TUN;
        paths[1] = LAB_PACKET;
    }
    int status[3] = {0}, bad = 1;
    for (int i = 0; i < 2 && bad; i++)
        if (lab->requested == LAB_ANY || lab->requested == paths[i])
            bad = status[paths[i]] = try_path(lab, paths[i]);
    if (bad)
        no_path(lab->requested, -status[LAB_TUN], strerror(-status[LAB_PACKET]));
    lab_set_up_host(lab, LAB_PEER);
    lab_set_up_host(lab, LAB_CLIENT);
}
