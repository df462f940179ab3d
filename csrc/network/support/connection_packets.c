#include "network/support/connection_packets.h"

#include "network/support/client.h"

#define FLAGS (TH_SYN | TH_FIN | TH_RST | TH_ACK)
#define WIRE_DEADLINE_MS (PEER_DEADLINE_S * 1000)

static int next_packet(struct rk_context *c, struct capture *capture, struct packet *packet,
                       const char *awaited)
{
    const int got = capture_next(capture, packet, WIRE_DEADLINE_MS);
    if (got < 0)
        return rk_failed(c, "the capture", -got);
    return got ? 0
               : rk_error(c, ETIMEDOUT, "The capture saw no %s within %d s.", awaited,
                          WIRE_DEADLINE_MS / 1000);
}

int find_handshake(struct rk_context *c, struct capture *capture, struct connection_packets *wire)
{
    struct packet packet = {0};
    int sent_syn = 0, received_syn = 0, status;
    while (!(status = next_packet(c, capture, &packet, "whole handshake"))) {
        const int flags = packet.flags & FLAGS;
        if (packet.outgoing && flags == TH_SYN && !(sent_syn && packet.seq == wire->own_isn)) {
            wire->syn_ns = packet.ns; /* not of one that is sent again */
            wire->own_isn = packet.seq;
            sent_syn = 1;
            received_syn = 0;
        } else if (sent_syn && !packet.outgoing && flags == (TH_SYN | TH_ACK) &&
                   packet.ack == wire->own_isn + 1) {
            wire->peer_isn = packet.seq;
            received_syn = 1;
        } else if (received_syn && packet.outgoing && flags == TH_ACK &&
                   packet.ack == wire->peer_isn + 1) {
            wire->ack_ns = packet.ns;
            return 0;
        }
    }
    return status;
}

int find_teardown(struct rk_context *c, struct capture *capture, struct connection_packets *wire)
{
    const uint32_t own_fin = wire->own_isn + 1, peer_fin = wire->peer_isn + 2;
    struct packet packet = {0};
    int sent_fin = 0, received_fin = 0, status;
    while (!(status = next_packet(c, capture, &packet, "whole teardown"))) {
        const int flags = packet.flags & FLAGS;
        if (flags & TH_RST && (packet.outgoing ? packet.seq == own_fin : packet.ack == own_fin))
            return rk_error(c, ECONNRESET, "A connection was reset, not closed in order.");
        if (packet.outgoing && flags & TH_FIN && packet.seq == own_fin && !sent_fin) {
            wire->fin_ns = packet.ns;
            sent_fin = 1;
        }
        if (!packet.outgoing && flags & TH_FIN && packet.seq + packet.payload == peer_fin) {
            if (!sent_fin)
                return rk_error(c, EPROTO, "The peer closed a connection before this side did.");
            received_fin = 1;
        }
        if (received_fin && packet.outgoing && flags == TH_ACK && packet.ack == peer_fin + 1) {
            wire->last_ack_ns = packet.ns;
            return 0;
        }
    }
    return status;
}
