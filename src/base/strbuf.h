/* A growing string in arena memory, the output of every emitter. An empty one is {.arena = ARENA}. */
#pragma once

#include "base/arena.h"

struct strbuf {
	struct arena *arena;
	char *ptr;
	size_t len, capacity;
};

/* Makes room for MORE bytes, which are added later. */
void strbuf_reserve(struct strbuf *buf, size_t more);

void strbuf_add(struct strbuf *buf, struct slice s);
void strbuf_addc(struct strbuf *buf, char c);
void strbuf_puts(struct strbuf *buf, const char *text);

/* Adds BYTE COUNT times. */
void strbuf_fill(struct strbuf *buf, char byte, size_t count);

__attribute__((format(printf, 2, 3))) void strbuf_printf(struct strbuf *buf, const char *format,
                                                         ...);

/* The content so far; valid until the next write. */
struct slice strbuf_slice(const struct strbuf *buf);
