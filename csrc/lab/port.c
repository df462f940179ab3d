/* port.c: the relay's two ports, and a frame's bytes on the link.
 *
 * Either a veth pair to each host and a packet socket on the relay's end, in a network namespace of
 * the relay's own; the kernel stamps each packet's arrival. Or a TUN device in each. Both with a
 * virtio_net_hdr before each frame: without it a packet socket loses what the kernel has left to be
 * summed up by the device, and 1 Gbit/s in packets of 1,500 bytes are more than a CPU can relay. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lab/lab.h"

/* A larger age means that the clock was set. */
#define AGE_NS_MAX 20000000
#define HEADER sizeof(struct virtio_net_hdr)

/* Hosts on Ethernet; locally administered. */
static const uint8_t mac[2][6] = {{2, 0, 10, 77, 0, 1}, {2, 0, 10, 77, 0, 2}};

static int open_one_tun(const struct lab *lab, struct lab_port *port)
{
    port->link_header = 0;
    port->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (port->fd < 0)
        return -errno;
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR};
    strcpy(request.ifr_name, LAB_DEVICE);
    const unsigned long offload = lab->offload ? TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 : 0;
    const int size = HEADER;
    if (ioctl(port->fd, TUNSETIFF, &request) < 0 || ioctl(port->fd, TUNSETVNETHDRSZ, &size) < 0 ||
        ioctl(port->fd, TUNSETOFFLOAD, offload) < 0)
        return -errno; /* the port is closed before another path is tried */
    return 0;
}

int lab_open_tun(struct lab *lab)
{
    for (int side = LAB_CLIENT; side <= LAB_PEER; side++) {
        lab_enter(lab, side);
        const int status = open_one_tun(lab, &lab->port[side]);
        if (status)
            return status;
    }
    return 0;
}

static int switch_on(int fd, int level, int option)
{
    const int on = 1;
    return setsockopt(fd, level, option, &on, sizeof on);
}

static int open_one_packet(struct lab_port *port, const char *device)
{
    port->link_header = ETH_HLEN;
    /* No protocol yet: nothing is taken in before the socket is bound to its device. */
    port->fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (port->fd < 0)
        return -errno;
    const struct sockaddr_ll address = {.sll_family = AF_PACKET,
                                        .sll_protocol = htons(ETH_P_ALL),
                                        .sll_ifindex = (int)if_nametoindex(device)};
    /* Room for a burst while the relay waits for a CPU: as much as an ordinary user may have, or
     * what root in the first user namespace may. */
    const int room = 16 << 20;
    setsockopt(port->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    setsockopt(port->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
    setsockopt(port->fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    setsockopt(port->fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room);
    if (switch_on(port->fd, SOL_SOCKET, SO_TIMESTAMPNS) < 0 ||
        switch_on(port->fd, SOL_PACKET, PACKET_VNET_HDR) < 0 ||
        switch_on(port->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING) < 0 ||
        switch_on(port->fd, SOL_PACKET, PACKET_QDISC_BYPASS) < 0 ||
        bind(port->fd, (const struct sockaddr *)&address, sizeof address) < 0)
        return -errno;
    return 0;
}

/* The host's device hands over single segments, as TUN does without TUN_F_TSO4. */
static int switch_off_segmentation(const char *device)
{
    struct ethtool_value off = {.cmd = ETHTOOL_STSO, .data = 0};
    struct ifreq request = {.ifr_data = (char *)&off};
    strcpy(request.ifr_name, device);
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const int status = fd < 0 || ioctl(fd, SIOCETHTOOL, &request) < 0 ? -errno : 0;
    if (fd >= 0)
        close(fd);
    return status;
}

int lab_set_neighbour(enum lab_side side)
{
    struct in_addr v4;
    struct in6_addr v6;
    inet_pton(AF_INET, lab_address[!side], &v4);
    inet_pton(AF_INET6, lab_address6[!side], &v6);
    const int status = lab_link_neighbour(LAB_DEVICE, AF_INET, &v4, mac[!side]);
    if (!status) /* where there is no IPv6, there are no neighbours of it either */
        lab_link_neighbour(LAB_DEVICE, AF_INET6, &v6, mac[!side]);
    return status;
}

int lab_open_packet(struct lab *lab)
{
    static const char *const device[2] = {"client", "peer"}; /* the relay's ends */
    int status = unshare(CLONE_NEWNET) < 0 ? -errno : 0;
    for (int side = LAB_CLIENT; side <= LAB_PEER && !status; side++) {
        status = lab_link_veth(device[side], LAB_DEVICE, lab->net[side], mac[side]);
        if (!status)
            status = lab_link_prepare(device[side]);
        if (!status)
            status = open_one_packet(&lab->port[side], device[side]);
        if (!status)
            status = lab_link_up(device[side]);
    }
    for (int side = LAB_CLIENT; side <= LAB_PEER && !status; side++) {
        lab_enter(lab, side);
        if (!lab->offload)
            status = switch_off_segmentation(LAB_DEVICE);
    }
    return status;
}

/* A packet arrives when the kernel takes it from the host, not when the relay, which may have been
 * asleep, reads it. A TUN device has no time stamps. */
ssize_t lab_read(const struct lab_port *port, uint8_t *frame, size_t room, int64_t *arrived_ns)
{
    if (!port->link_header) {
        const ssize_t size = read(port->fd, frame, room);
        *arrived_ns = lab_now_ns(CLOCK_MONOTONIC);
        return size;
    }
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(struct timespec))];
    } control;
    struct iovec whole = {.iov_base = frame, .iov_len = room};
    struct msghdr message = {.msg_iov = &whole,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    const ssize_t size = recvmsg(port->fd, &message, 0);
    *arrived_ns = lab_now_ns(CLOCK_MONOTONIC);
    const struct cmsghdr *item = size < 0 ? NULL : CMSG_FIRSTHDR(&message);
    if (item && item->cmsg_level == SOL_SOCKET && item->cmsg_type == SCM_TIMESTAMPNS) {
        struct timespec stamp;
        memcpy(&stamp, CMSG_DATA(item), sizeof stamp);
        const int64_t age_ns = lab_now_ns(CLOCK_REALTIME) - lab_ns(&stamp);
        if (age_ns > 0 && age_ns < AGE_NS_MAX)
            *arrived_ns -= age_ns;
    }
    return size;
}

/* Packets that found no room in the socket since the last call. */
uint64_t lab_missed(const struct lab_port *port)
{
    struct tpacket_stats stats;
    socklen_t size = sizeof stats;
    if (!port->link_header ||
        getsockopt(port->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size) < 0)
        return 0;
    return stats.tp_drops;
}

int64_t lab_link_bytes(const struct lab_port *port, const uint8_t *frame, size_t size,
                       uint64_t *segments)
{
    struct virtio_net_hdr header;
    memcpy(&header, frame, HEADER);
    const size_t link = port->link_header, whole = size - HEADER;
    *segments = 1;
    /* hdr_len is only a hint; the TCP header begins where its checksum does, and gives its length
     * in the upper half of its 13th byte. */
    const size_t tcp = header.csum_start;
    if (header.gso_type != VIRTIO_NET_HDR_GSO_NONE && header.gso_size && tcp + 13 <= whole) {
        const size_t headers = tcp + (size_t)(frame[HEADER + tcp + 12] >> 4) * 4;
        if (headers < whole && headers > link) {
            *segments = (whole - headers + header.gso_size - 1) / header.gso_size;
            return (int64_t)(whole - headers + *segments * (headers - link));
        }
    }
    return whole > link ? (int64_t)(whole - link) : 0;
}
