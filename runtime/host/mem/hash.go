package mem

// hash hashes a sequence of numbers and strings, with FNV-1a of 64 bits.
type hash uint64

const (
	hashStart = 14695981039346656037
	hashPrime = 1099511628211
)

func (h *hash) add(vs ...uint64) {
	x := *h
	for _, v := range vs {
		for range 8 {
			x = (x ^ hash(v&0xff)) * hashPrime
			v >>= 8
		}
	}
	*h = x
}

func (h *hash) text(s string) {
	h.add(uint64(len(s)))
	x := *h
	for i := range len(s) {
		x = (x ^ hash(s[i])) * hashPrime
	}
	*h = x
}
