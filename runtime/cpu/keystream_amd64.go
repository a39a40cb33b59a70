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

// expandKeyAESNI writes the round keys of a key.
//
//go:noescape
func expandKeyAESNI(keys *[176]byte, key *[16]byte)

// addKeystreamVAES adds the keystream from a counter on to the n elements at x, a multiple of 16, or subtracts it.
// The lower half of the counter must not overflow.
//
//go:noescape
func addKeystreamVAES(x *int32, n int, keys *[176]byte, counter *[2]uint64, sign int32)

// addKeystreamAESNI adds the keystream from a counter on to the n elements at x, a multiple of 16, or subtracts it.
// The lower half of the counter must not overflow.
//
//go:noescape
func addKeystreamAESNI(x *int32, n int, keys *[176]byte, counter *[2]uint64, sign int32)
