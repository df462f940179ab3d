/* relay.c: the delay line, one loop for both directions.
 *
 * A packet of n bytes that comes at t leaves a link of that rate at free = max(free, t) + 8 n /
 * rate and arrives at free + delay. Packets that have arrived and not left are the queue in front
 * of the link; a packet that finds no room there is dropped. Between two packets the relay sleeps;
 * it spins the last SPIN_NS before one is due, because a sleeping CPU wakes late. One loop and not
 * a thread a direction: with two CPUs one must be left to the measured programs. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lab/lab.h"
#include "probe/cpus.h"

#define SPIN_NS 100000 /* a CPU wakes within that time even from deep idle states */
#define LATE_NS 100000 /* a packet that leaves later than that is counted as late */
/* How often a relay that never sleeps checks whether the first process still lives */
#define CHECK_NS 10000000
#define FRAME_MAX 65664         /* a large packet with its headers: 64 KiB and some */
#define POPULATE_MAX (16 << 20) /* bytes of a queue whose pages are touched beforehand */
#define BATCH 16                /* packets queued before the next check of release times */

struct queued_packet {
    int64_t release_ns;
    uint32_t size, segments;
    uint8_t frame[];
};

/* Packets on their way, in order, in a ring of bytes. No packet lies across its end: `end` is where
 * the last one before the end stops. */
struct line {
    const struct lab_port *from, *to;
    struct lab_counts *counts;
    uint8_t *ring;
    size_t room, head, tail, end;
    int64_t free_ns;
    uint64_t rest; /* of the last division, so that no fraction of a nanosecond is lost */
};

static void add(_Atomic uint64_t *count, uint64_t more)
{
    /* Written by this process alone. */
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + more,
                          memory_order_relaxed);
}

#define SLOT_BYTES(size) ((sizeof(struct queued_packet) + (size) + 7) & ~(size_t)7)

/* Where the next packet can be read into; NULL if the ring is full. */
static struct queued_packet *free_slot(struct line *line)
{
    if (line->head == line->tail) { /* the same warm pages again */
        line->head = line->tail = 0;
        line->end = line->room;
    }
    if (line->tail >= line->head) {
        if (line->room - line->tail > SLOT_BYTES(FRAME_MAX))
            return (struct queued_packet *)(line->ring + line->tail);
        if (line->head <= SLOT_BYTES(FRAME_MAX))
            return NULL;
        line->end = line->tail;
        line->tail = 0;
    }
    return line->head - line->tail > SLOT_BYTES(FRAME_MAX)
               ? (struct queued_packet *)(line->ring + line->tail)
               : NULL;
}

static struct queued_packet *first(struct line *line)
{
    if (line->head == line->end && line->head != line->tail) {
        line->head = 0;
        line->end = line->room;
    }
    return line->head == line->tail ? NULL : (struct queued_packet *)(line->ring + line->head);
}

/* Queues the frames waiting at the port; returns 1 if there were any. */
static int receive(const struct lab *lab, struct line *line, uint8_t *scrap)
{
    for (int received = 0; received < BATCH; received++) {
        struct queued_packet *packet = free_slot(line);
        uint8_t *frame = packet ? packet->frame : scrap;
        int64_t now;
        const ssize_t size = lab_read(line->from, frame, FRAME_MAX, &now);
        if (size < 0 && (errno == EAGAIN || errno == EINTR || errno == ENETDOWN))
            return received > 0;
        if (size < 10) /* the device is gone */
            _exit(1);
        uint64_t segments;
        const int64_t bytes = lab_link_bytes(line->from, frame, (size_t)size, &segments);
        const int64_t begin = line->free_ns > now ? line->free_ns : now;
        const int64_t waiting = (int64_t)((double)(begin - now) * (double)lab->rate_bit / 8e9);
        if (!packet || waiting + bytes > lab->queue_bytes) {
            add(&line->counts->dropped, segments);
            continue;
        }
        const uint64_t bits = (uint64_t)bytes * 8000000000u + (begin == now ? 0 : line->rest);
        line->free_ns = begin + (int64_t)(bits / (uint64_t)lab->rate_bit);
        line->rest = bits % (uint64_t)lab->rate_bit;
        packet->release_ns = line->free_ns + lab->rtt_ns / 2;
        packet->size = (uint32_t)size;
        packet->segments = (uint32_t)segments;
        line->tail += SLOT_BYTES((size_t)size);
        add(&line->counts->packets, segments);
        add(&line->counts->bytes, (uint64_t)bytes);
        if ((uint64_t)(waiting + bytes) > atomic_load(&line->counts->deepest))
            atomic_store(&line->counts->deepest, (uint64_t)(waiting + bytes));
    }
    return 1;
}

/* Sends every packet whose release time has passed; returns the next release time, INT64_MAX if the
 * queue is empty. */
static int64_t release(struct line *line)
{
    struct queued_packet *packet;
    while ((packet = first(line))) {
        const int64_t now = lab_now_ns(CLOCK_MONOTONIC);
        if (packet->release_ns > now)
            return packet->release_ns;
        if (write(line->to->fd, packet->frame, packet->size) != (ssize_t)packet->size)
            add(&line->counts->refused, packet->segments);
        if (now - packet->release_ns > LATE_NS)
            add(&line->counts->late, packet->segments);
        line->head += SLOT_BYTES(packet->size);
    }
    return INT64_MAX;
}

/* Whether the first process still holds its end of the pipe. */
static int is_parent_alive(const struct pollfd *lifetime)
{
    struct pollfd look = *lifetime;
    return poll(&look, 1, 0) <= 0 || !look.revents;
}

static void open_line(struct lab *lab, struct line *line, enum lab_side from)
{
    /* Small packets take up more here than they do on the link, hence twice. */
    const int64_t on_the_way = lab->rtt_ns / 2 * (lab->rate_bit / 1000) / 8000000;
    const int64_t room = 2 * (lab->queue_bytes + on_the_way) + (1 << 20);
    *line = (struct line){.from = &lab->port[from],
                          .to = &lab->port[!from],
                          .counts = &lab->counts[from]};
    line->end = line->room = (size_t)room;
    /* Touched now, as far as that is cheap: first touch of a page in a guest can take 10 us. */
    line->ring = mmap(NULL, line->room, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
                          (room <= POPULATE_MAX ? MAP_POPULATE : 0),
                      -1, 0);
    if (line->ring == MAP_FAILED)
        _exit(1);
}

/* With one CPU alone, spinning would take it from the measured programs. */
static int64_t spin_ns(void)
{
    const struct rk_cpu_mask mask = rk_usable_cpus();
    return CPU_COUNT_S(sizeof mask, mask.part) == 1 ? 0 : SPIN_NS;
}

void lab_relay(struct lab *lab)
{
    const int64_t spin = spin_ns();
    static uint8_t scrap[FRAME_MAX];
    struct line line[2];
    struct pollfd events[3] = {{.fd = lab->port[0].fd, .events = POLLIN},
                               {.fd = lab->port[1].fd, .events = POLLIN},
                               {.fd = lab->lifetime_pipe[0]}}; /* POLLHUP is always reported */
    open_line(lab, &line[0], LAB_CLIENT);
    open_line(lab, &line[1], LAB_PEER);
    for (int64_t checked = lab_now_ns(CLOCK_MONOTONIC);;) {
        int64_t due = INT64_MAX;
        int any = 0;
        for (int side = 0; side < 2; side++) {
            any |= receive(lab, &line[side], scrap);
            const int64_t next = release(&line[side]);
            due = next < due ? next : due;
        }
        const int64_t now = lab_now_ns(CLOCK_MONOTONIC);
        if (now - checked > CHECK_NS) {
            if (!is_parent_alive(&events[2]))
                _exit(0);
            checked = now;
        }
        if (any || due - spin <= now)
            continue;
        for (int side = 0; side < 2; side++)
            add(&line[side].counts->missed, lab_missed(line[side].from));
        const int64_t sleep = due - spin - now;
        const struct timespec timeout = {sleep / 1000000000, sleep % 1000000000};
        if (ppoll(events, 3, due == INT64_MAX ? NULL : &timeout, NULL) > 0 && events[2].revents)
            _exit(0);
    }
}
