/* link.c: devices and addresses by rtnetlink(7), in the current network namespace.
 *
 * Not by ip(8), which a machine need not have, and which would be started a dozen times. */
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lab/lab.h"

struct message {
    struct nlmsghdr head;
    char body[500];
};

static void *end_of(struct message *message)
{
    return (char *)message + NLMSG_ALIGN(message->head.nlmsg_len);
}

/* The fixed part that follows the head: ifinfomsg, ifaddrmsg or ndmsg. */
static void begin(struct message *message, int type, int flags, const void *fixed, size_t size)
{
    memset(message, 0, sizeof *message);
    message->head.nlmsg_type = (uint16_t)type;
    message->head.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags);
    message->head.nlmsg_len = (uint32_t)NLMSG_LENGTH(size);
    memcpy(NLMSG_DATA(&message->head), fixed, size);
}

static struct rtattr *put(struct message *message, int type, const void *value, size_t size)
{
    struct rtattr *attribute = end_of(message);
    attribute->rta_type = (uint16_t)type;
    attribute->rta_len = (uint16_t)RTA_LENGTH(size);
    if (size)
        memcpy(RTA_DATA(attribute), value, size);
    message->head.nlmsg_len = NLMSG_ALIGN(message->head.nlmsg_len) + RTA_ALIGN(attribute->rta_len);
    return attribute;
}

static void put_number(struct message *message, int type, uint32_t value)
{
    put(message, type, &value, sizeof value);
}

static void close_nest(struct message *message, struct rtattr *nest)
{
    nest->rta_len = (uint16_t)((char *)end_of(message) - (char *)nest);
}

/* Sends the request and reads the kernel's answer, which is there when send() returns. */
static int request(struct message *message)
{
    const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0)
        return -errno;
    struct {
        struct nlmsghdr head;
        struct nlmsgerr error;
        char rest[sizeof *message + 256]; /* the kernel returns the request with its answer */
    } answer;
    int status = 0;
    if (send(fd, message, message->head.nlmsg_len, 0) < 0) {
        status = -errno;
    } else {
        const ssize_t size = recv(fd, &answer, sizeof answer, MSG_DONTWAIT);
        if (size < 0)
            status = -errno;
        else if ((size_t)size < offsetof(typeof(answer), rest) - sizeof answer.error.msg ||
                 answer.head.nlmsg_type != NLMSG_ERROR)
            status = -EPROTO;
        else
            status = answer.error.error;
    }
    close(fd);
    return status;
}

static int change(const char *device, unsigned flags, struct message *message)
{
    const struct ifinfomsg info = {.ifi_index = (int)if_nametoindex(device),
                                   .ifi_flags = flags,
                                   .ifi_change = flags};
    begin(message, RTM_NEWLINK, 0, &info, sizeof info);
    return info.ifi_index ? 0 : -ENODEV;
}

/* Without ARP no host requests the other's Ethernet address or announces its multicast groups: only
 * what programs send crosses the link. */
int lab_link_up(const char *device)
{
    struct message message;
    const unsigned quiet = strcmp(device, "lo") != 0 ? IFF_NOARP : 0;
    const int status = change(device, IFF_UP | quiet, &message);
    return status ? status : request(&message);
}

/* The MTU; a queue that no burst overflows before the relay has counted it; and, where there is
 * IPv6, no address of the kernel's own, so that it has nothing to announce or to request. */
int lab_link_prepare(const char *device)
{
    struct message message;
    int status = change(device, 0, &message);
    if (status)
        return status;
    put_number(&message, IFLA_MTU, LAB_MTU);
    put_number(&message, IFLA_TXQLEN, 10000);
    status = request(&message);
    if (status)
        return status;
    const uint8_t none = IN6_ADDR_GEN_MODE_NONE;
    change(device, 0, &message);
    struct rtattr *families = put(&message, IFLA_AF_SPEC, NULL, 0);
    struct rtattr *family = put(&message, AF_INET6, NULL, 0);
    put(&message, IFLA_INET6_ADDR_GEN_MODE, &none, sizeof none);
    close_nest(&message, family);
    close_nest(&message, families);
    status = request(&message);
    return status == -EAFNOSUPPORT || status == -EOPNOTSUPP ? 0 : status;
}

/* A pair of virtual Ethernet devices: `name`, and `peer_name` with that address in the other
 * network namespace. */
int lab_link_veth(const char *name, const char *peer_name, int peer_net, const uint8_t mac[6])
{
    struct message message;
    const struct ifinfomsg info = {0};
    begin(&message, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &info, sizeof info);
    put(&message, IFLA_IFNAME, name, strlen(name) + 1);
    struct rtattr *link = put(&message, IFLA_LINKINFO, NULL, 0);
    put(&message, IFLA_INFO_KIND, "veth", 4);
    struct rtattr *data = put(&message, IFLA_INFO_DATA, NULL, 0);
    struct rtattr *peer = put(&message, VETH_INFO_PEER, &info, sizeof info);
    put(&message, IFLA_IFNAME, peer_name, strlen(peer_name) + 1);
    put(&message, IFLA_ADDRESS, mac, 6);
    put(&message, IFLA_NET_NS_FD, &peer_net, sizeof peer_net);
    close_nest(&message, peer);
    close_nest(&message, data);
    close_nest(&message, link);
    return request(&message);
}

int lab_link_address(const char *device, int family, const void *address, int prefix)
{
    struct message message;
    const size_t size = family == AF_INET ? 4 : 16;
    const struct ifaddrmsg info = {.ifa_family = (uint8_t)family,
                                   .ifa_prefixlen = (uint8_t)prefix,
                                   .ifa_flags = IFA_F_NODAD, /* no other host to conflict with */
                                   .ifa_index = if_nametoindex(device)};
    begin(&message, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &info, sizeof info);
    put(&message, IFA_LOCAL, address, size);
    put(&message, IFA_ADDRESS, address, size);
    return request(&message);
}

int lab_link_neighbour(const char *device, int family, const void *address, const uint8_t mac[6])
{
    struct message message;
    const struct ndmsg info = {.ndm_family = (uint8_t)family,
                               .ndm_ifindex = (int)if_nametoindex(device),
                               .ndm_state = NUD_PERMANENT};
    begin(&message, RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, &info, sizeof info);
    put(&message, NDA_DST, address, family == AF_INET ? 4 : 16);
    put(&message, NDA_LLADDR, mac, 6);
    return request(&message);
}
