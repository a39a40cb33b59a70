//go:build amd64 && !purego

package cpu

//go:generate env GOWORK=off go -C _asm run ./keystream -out ../keystream_amd64.s

var hasAES, hasVAES, hasVAES256 = has(needs.AESNI), has(needs.VAES), has(needs.VAES256)

// vaes reports whether the processor encrypts several blocks at a time. It needs no AVX-512 for that.
var vaes = features7()&(1<<9) != 0

func hasKeystream() bool { return level >= AVX2 && hasAES }

func expandKey(keys *[176]byte, key *[16]byte) { expandKeyAESNI(keys, key) }

func addKeystream(x *int32, n int, keys *[176]byte, counter *[2]uint64, sign int32) {
	switch {
	case level == AVX512 && hasVAES:
		addKeystreamVAES(x, n, keys, counter, sign)
	case hasVAES256:
		addKeystreamVAES256(x, n, keys, counter, sign)
	default:
		addKeystreamAESNI(x, n, keys, counter, sign)
	}
}
