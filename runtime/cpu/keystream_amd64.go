//go:build amd64 && !purego

package cpu

//go:generate env GOWORK=off go -C _asm run ./keystream -out ../keystream_amd64.s

var hasAES, hasVAES = has(needs.AESNI), has(needs.VAES)

func hasKeystream() bool { return level >= AVX2 && hasAES }

func expandKey(keys *[176]byte, key *[16]byte) { expandKeyAESNI(keys, key) }

func addKeystream(x *int32, n int, keys *[176]byte, counter *[2]uint64, sign int32) {
	if level == AVX512 && hasVAES {
		addKeystreamVAES(x, n, keys, counter, sign)
	} else {
		addKeystreamAESNI(x, n, keys, counter, sign)
	}
}
