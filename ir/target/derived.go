package target

// floatBytes is the size of a float32.
const floatBytes = 4

// cache returns the bytes of a cache, or of that of the default target if this machine has none of the level.
func (t *Target) cache(level int) int {
	for _, c := range append(t.Caches, Default.Caches...) {
		if c.Level == level {
			return c.Bytes
		}
	}
	return 0
}

// Chained returns the smallest number of elements for which several operators are computed part by part, as a chain. The
// float32s that an operator reads and those that it writes fill the first cache then; shorter vectors stay there until the
// next operator reads them. On a Zen 4, four times Relu takes 9 µs for 4096 elements and 11 µs in parts of 1024; for 8192 it
// is 34 µs and 19 µs.
func (t *Target) Chained() int { return t.cache(1) / (2 * floatBytes) }

// Stored returns the smallest number of elements for which a weight is stored in 16 bits. A smaller one has at most a quarter
// of the second cache as float32, and stays there beside the other operands: widening it takes longer than reading it. See
// "Weights of 16 bits" in docs/findings.md.
func (t *Target) Stored() int { return t.cache(2) / (4 * floatBytes) }

// Kept returns the largest number of float32s that stay in the second cache.
func (t *Target) Kept() int { return t.cache(2) / floatBytes }

// Inline returns the largest number of arithmetic operations of a computation that the engine of a peer waits for. A longer
// one is a command. It is for one core, as a computation of this length does not start threads.
func (t *Target) Inline() int64 { return int64(t.Peer.Rate * t.Limits.Inline.Seconds()) }

// Rate returns the floating-point operations per second of a peer.
func (t *Target) Rate() float64 { return float64(t.Cores) * t.Peer.Rate }
