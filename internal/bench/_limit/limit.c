// A library to preload. It answers cpuid for programs in which that instruction has been replaced, as a processor
// without AVX-512 and AMX answers it, so that they run their kernels for AVX2.
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

// The bits of AVX-512, AMX and AVX10 in the answers for leaf 7.
enum {
	EBX_0 = 1u << 16 | 1u << 17 | 1u << 21 | 1u << 26 | 1u << 27 | 1u << 28 | 1u << 30 | 1u << 31,
	ECX_0 = 1u << 1 | 1u << 6 | 1u << 11 | 1u << 12 | 1u << 14,
	EDX_0 = 1u << 2 | 1u << 3 | 1u << 8 | 1u << 22 | 1u << 23 | 1u << 24 | 1u << 25,
	EAX_1 = 1u << 5 | 1u << 21,
	EDX_1 = 1u << 8 | 1u << 19,
};

static void answer(int sig, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *at = (const uint8_t *)r[REG_RIP];
	(void)info;
	if (at[0] != 0x0f || at[1] != 0x04) { // not a replaced instruction
		signal(sig, SIG_DFL);
		return;
	}
	uint32_t leaf = (uint32_t)r[REG_RAX], sub = (uint32_t)r[REG_RCX], a, b, c, d;
	__cpuid_count(leaf, sub, a, b, c, d);
	if (leaf == 7 && sub == 0)
		b &= ~EBX_0, c &= ~ECX_0, d &= ~EDX_0;
	if (leaf == 7 && sub == 1)
		a &= ~EAX_1, d &= ~EDX_1;
	r[REG_RAX] = a, r[REG_RBX] = b, r[REG_RCX] = c, r[REG_RDX] = d;
	r[REG_RIP] += 2;
}

__attribute__((constructor)) static void start(void)
{
	struct sigaction s = {0};
	s.sa_sigaction = answer;
	s.sa_flags = SA_SIGINFO | SA_NODEFER;
	sigaction(SIGILL, &s, 0);
}
