//go:build !purego

package crc32c

import (
	x86 "golang.org/x/sys/cpu"

	"github.com/bbgen/bbgen/runtime/cpu"
)

//go:generate env GOWORK=off go -C ../_asm run ./crc32c -out ../crc32c/crc32c_amd64.s

var hasVPCLMUL = detectVPCLMUL()

// detectVPCLMUL reports whether the processor has the extensions that kernels of VPCLMUL need beyond those of AVX512.
func detectVPCLMUL() bool { return x86.X86.HasAVX512VPCLMULQDQ && x86.X86.HasSSE42 }

func hasFold() bool { return cpu.CurrentLevel() == cpu.AVX512 && hasVPCLMUL }

func fold(p *byte, n int, state uint32, keys *[4]uint64) uint32 {
	return foldVPCLMUL(p, n, state, keys)
}
