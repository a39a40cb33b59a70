package cpu

// Keystream is AES-128 in counter mode with one key, for masks that are added to vectors. It needs assembly;
// elsewhere, package crypto/cipher has the same stream.
type Keystream struct{ keys [176]byte }

// HasKeystream reports whether this machine has the instructions, at the current level.
func HasKeystream() bool { return hasKeystream() }

// NewKeystream expands a key. Callers check HasKeystream first.
func NewKeystream(key [16]byte) (k Keystream) {
	expandKey(&k.keys, &key)
	return k
}

// Add is
//
//	stream := the encrypted counters from high<<64 + low on, big-endian
//	for i := range x {
//		x[i] += sign * int32(binary.LittleEndian.Uint32(stream[4*i:]))
//	}
//
// The sign is 1 or -1. The lower half of the counter must not overflow.
func (k *Keystream) Add(x []int32, high, low uint64, sign int32) {
	const wide = 16 // elements of a register, which four blocks fill
	counter := [2]uint64{high, low}
	n := len(x) &^ (wide - 1)
	if n > 0 {
		addKeystream(&x[0], n, &k.keys, &counter, sign)
	}
	if rest := x[n:]; len(rest) > 0 {
		var last [wide]int32
		copy(last[:], rest)
		counter[1] += uint64(n / 4)
		addKeystream(&last[0], wide, &k.keys, &counter, sign)
		copy(rest, last[:])
	}
}
