/* A growing buffer of bytes. */
#include <stdlib.h>
#include "buffer.h"

#define GROWTH 2
#define MIN_ROOM 16

typedef struct buffer {
    unsigned char *bytes;
    size_t used;
    size_t room;
} buffer_t;

enum buffer_error { BUFFER_OK, BUFFER_NO_MEMORY };

static size_t round_up(size_t wanted);
extern int buffer_debug;

/*
 * Makes sure that `extra` more bytes fit, growing by a constant factor so
 * that appending stays cheap on average.
 */
static enum buffer_error
reserve(buffer_t *buffer, size_t extra)
{
    size_t wanted = buffer->used + extra;
    if (wanted <= buffer->room)
        return BUFFER_OK;
    void *moved = realloc(buffer->bytes, round_up(wanted));
    if (moved == NULL)
        return BUFFER_NO_MEMORY;
    buffer->bytes = moved;
    buffer->room = round_up(wanted);
    return BUFFER_OK;
}

#ifdef BUFFER_STATS
/* Prints how much of the room is in use. */
void buffer_print_stats(const buffer_t *buffer)
{
    printf("%zu of %zu bytes in use\n", buffer->used, buffer->room);
    printf("%.1f %% wasted\n", 100.0 * (buffer->room - buffer->used) / buffer->room);
}
#endif

static size_t round_up(size_t wanted)
{
    size_t room = MIN_ROOM;
    while (room < wanted)
        room *= GROWTH;
    return room;
}
