//go:build amd64 && !purego

package cpu

import "golang.org/x/sys/cpu"

//go:generate env GOWORK=off go -C _asm run ./crc32c -out ../crc32c_amd64.s

var hasVPCLMUL = cpu.X86.HasAVX512VPCLMULQDQ

func hasCRCFold() bool { return level == AVX512 && hasVPCLMUL }

// crcFold returns the state of a checksum after the n bytes at p, a positive multiple of 256.
//
//go:noescape
func crcFold(p *byte, n int, state uint32, keys *[4]uint64) uint32
