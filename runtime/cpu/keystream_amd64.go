//go:build amd64 && !purego

package cpu

//go:generate env GOWORK=off go -C _asm run ./keystream -out ../keystream_amd64.s

var hasVAES = has(needs.VAES)

func hasKeystream() bool { return level == AVX512 && hasVAES }

func expandKey(keys *[176]byte, key *[16]byte) { expandKeyVAES(keys, key) }

func addKeystream(x *int32, n int, keys *[176]byte, counter *[2]uint64, sign int32) {
	addKeystreamVAES(x, n, keys, counter, sign)
}

// expandKeyVAES writes the round keys of a key.
//
//go:noescape
func expandKeyVAES(keys *[176]byte, key *[16]byte)

// addKeystreamVAES adds the keystream from a counter on to the n elements at x, a multiple of 16, or subtracts it.
// The lower half of the counter must not overflow.
//
//go:noescape
func addKeystreamVAES(x *int32, n int, keys *[176]byte, counter *[2]uint64, sign int32)
