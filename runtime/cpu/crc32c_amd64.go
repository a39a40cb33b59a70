//go:build amd64 && !purego

package cpu

//go:generate env GOWORK=off go -C _asm run ./crc32c -out ../crc32c_amd64.s

var hasVPCLMUL = has(needs.VPCLMUL)

func hasCRCFold() bool { return level == AVX512 && hasVPCLMUL }

func crcFold(p *byte, n int, state uint32, keys *[4]uint64) uint32 {
	return crcFoldVPCLMUL(p, n, state, keys)
}
