#include "sample/gpu_thread.h"

#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"

enum state { OPENING, READING, ENDED };

enum { NOTE_SIZE = 256 };

/* In no arena of the caller's: a thread that NVML does not let go of outlives them. */
struct gpu_thread {
	pthread_t thread;
	struct gpu_thread_order order;
	int event;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* something that the lock guards: */
	enum state state;
	bool stop, abandoned, fresh; /* FRESH: READY was not taken */
	struct gpu_reading *ready;
	struct gpu_reading *taken; /* the caller's */
	/* The thread's: */
	struct gpu_reading *filling;
	struct gpu_reading readings[3];
	struct arena arena;
	struct gpus gpus;
	char note[NOTE_SIZE];
};

static void swap_readings(struct gpu_reading **a, struct gpu_reading **b)
{
	struct gpu_reading *between = *a;
	*a = *b;
	*b = between;
}

/* Waits, with the lock, for a change. False when it is UNTIL. */
static bool wait_for_change(struct gpu_thread *thread, int64_t until)
{
	const int64_t second = 1000000000;
	const struct timespec moment = {(time_t)(until / second), (long)(until % second)};
	return pthread_cond_timedwait(&thread->changed, &thread->lock, &moment) != ETIMEDOUT;
}

static void gpu_thread_destroy(struct gpu_thread *thread)
{
	(void)pthread_cond_destroy(&thread->changed);
	(void)pthread_mutex_destroy(&thread->lock);
	(void)close(thread->event);
	arena_release(&thread->arena);
	free(thread);
}

/* ---- the thread ---- */

static void read_until_stopped(struct gpu_thread *thread)
{
	int64_t due = os_clock(CLOCK_MONOTONIC);
	for (bool stop = false; !stop;) {
		gpus_read(&thread->gpus, &thread->arena, thread->filling);
		bool is_lost = thread->filling->lost != NULL;
		(void)pthread_mutex_lock(&thread->lock);
		swap_readings(&thread->filling, &thread->ready);
		thread->fresh = true;
		(void)eventfd_write(thread->event, 1);
		/* The next moment of those that are a period apart. */
		int64_t period = thread->order.period, late = os_clock(CLOCK_MONOTONIC) - due;
		due += (late / period + 1) * period;
		while (!thread->stop && !is_lost && wait_for_change(thread, due))
			;
		stop = thread->stop || is_lost;
		(void)pthread_mutex_unlock(&thread->lock);
	}
}

static void *gpu_thread_main(void *data)
{
	struct gpu_thread *thread = data;
	jmp_buf no_memory;
	if (setjmp(no_memory) == 0) {
		struct slice note = {"", 0};
		arena_set_handler(&thread->arena, &no_memory);
		bool is_open =
		        gpus_open(&thread->gpus, &thread->arena, thread->order.library, &note) == 0;
		(void)pthread_mutex_lock(&thread->lock);
		(void)snprintf(thread->note, sizeof thread->note, "%.*s", SLICE_ARG(note));
		thread->state = is_open ? READING : OPENING;
		(void)pthread_cond_broadcast(&thread->changed);
		(void)pthread_mutex_unlock(&thread->lock);
		if (is_open)
			read_until_stopped(thread);
	}
	gpus_close(&thread->gpus);
	(void)pthread_mutex_lock(&thread->lock);
	thread->state = ENDED;
	bool abandoned = thread->abandoned;
	(void)pthread_cond_broadcast(&thread->changed);
	(void)pthread_mutex_unlock(&thread->lock);
	if (abandoned)
		gpu_thread_destroy(thread);
	return NULL;
}

/* ---- the caller ---- */

/* NULL and errno where the system has no thread to give. */
static struct gpu_thread *gpu_thread_create(const struct gpu_thread_order *order)
{
	struct gpu_thread *thread = calloc(1, sizeof *thread);
	int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (thread == NULL || event < 0) {
		free(thread);
		os_close_quietly(event);
		return NULL;
	}
	pthread_condattr_t attributes;
	thread->order = *order;
	thread->event = event;
	thread->ready = &thread->readings[0];
	thread->taken = &thread->readings[1];
	thread->filling = &thread->readings[2];
	arena_init(&thread->arena, NULL);
	(void)pthread_mutex_init(&thread->lock, NULL);
	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&thread->changed, &attributes);
	(void)pthread_condattr_destroy(&attributes);
	sigset_t all, before;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&thread->thread, NULL, gpu_thread_main, thread);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error == 0)
		return thread;
	gpu_thread_destroy(thread);
	errno = error;
	return NULL;
}

/* Waits, with the lock, until the thread is as far as STATE. Returns how far it is when that is so,
 * or the patience is over. */
static enum state wait_for_state(struct gpu_thread *thread, enum state state, int64_t patience)
{
	int64_t until = os_clock(CLOCK_MONOTONIC) + patience;
	while (thread->state < state && wait_for_change(thread, until))
		;
	return thread->state;
}

void gpu_thread_stop(struct gpu_thread *thread)
{
	(void)pthread_mutex_lock(&thread->lock);
	thread->stop = true;
	(void)pthread_cond_broadcast(&thread->changed);
	bool ended = wait_for_state(thread, ENDED, thread->order.stop_patience) == ENDED;
	thread->abandoned = !ended;
	if (!ended)
		(void)pthread_detach(thread->thread);
	(void)pthread_mutex_unlock(&thread->lock);
	if (!ended)
		return;
	(void)pthread_join(thread->thread, NULL);
	gpu_thread_destroy(thread);
}

struct gpu_thread *gpu_thread_start(const struct gpu_thread_order *order, struct arena *arena,
                                    struct slice *note)
{
	char text[NOTE_SIZE];
	struct gpu_thread *thread = gpu_thread_create(order);
	if (thread == NULL) {
		*note = arena_printf(arena, GPUS_NOT_SAMPLED "%s", strerror(errno));
		return NULL;
	}
	(void)pthread_mutex_lock(&thread->lock);
	enum state state = wait_for_state(thread, READING, order->open_patience);
	(void)snprintf(text, sizeof text, "%s",
	               state == OPENING ? GPUS_NOT_SAMPLED "NVML does not answer" : thread->note);
	(void)pthread_mutex_unlock(&thread->lock);
	if (state != READING) {
		thread->order.stop_patience = 0; /* it is in NVML still, or has ended */
		gpu_thread_stop(thread);
		thread = NULL;
	}
	*note = arena_printf(arena, "%s", text);
	return thread;
}

const struct gpus *gpu_thread_gpus(const struct gpu_thread *thread)
{
	return thread == NULL ? NULL : &thread->gpus;
}

int gpu_thread_fd(const struct gpu_thread *thread)
{
	return thread->event;
}

const struct gpu_reading *gpu_thread_take(struct gpu_thread *thread)
{
	eventfd_t count;
	(void)eventfd_read(thread->event, &count);
	(void)pthread_mutex_lock(&thread->lock);
	bool fresh = thread->fresh;
	if (fresh)
		swap_readings(&thread->ready, &thread->taken);
	thread->fresh = false;
	(void)pthread_mutex_unlock(&thread->lock);
	return fresh ? thread->taken : NULL;
}
