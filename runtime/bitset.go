package runtime

// bitset is a set of the cut points or blocks of a module. Hardly any module has
// more than 64 of either.
type bitset struct {
	low  uint64
	high []uint64 // the bits from 64 on; nil if there are none
}

// newBitset returns an empty set of numbers less than n.
func newBitset(n int) bitset {
	if n <= 64 {
		return bitset{}
	}
	return bitset{high: make([]uint64, (n-1)/64)}
}

func (s *bitset) has(i int) bool {
	if i < 64 {
		return s.low>>uint(i)&1 != 0
	}
	return s.high[i/64-1]>>uint(i%64)&1 != 0
}

func (s *bitset) add(i int) {
	if i < 64 {
		s.low |= 1 << uint(i)
	} else {
		s.high[i/64-1] |= 1 << (i % 64)
	}
}

// covers reports whether all of t is in s. t may have fewer words.
func (s *bitset) covers(t *bitset) bool {
	return s.low&t.low == t.low && (t.high == nil || s.coversHigh(t))
}

func (s *bitset) coversHigh(t *bitset) bool {
	for i, w := range t.high {
		if s.high[i]&w != w {
			return false
		}
	}
	return true
}

// width is how many numbers have a place in the set.
func (s *bitset) width() int { return 64 * (1 + len(s.high)) }

// widen makes place for all numbers less than n.
func (s *bitset) widen(n int) {
	for s.width() < n {
		s.high = append(s.high, 0)
	}
}

// empty reports whether nothing is in the set.
func (s *bitset) empty() bool {
	some := s.low
	for _, w := range s.high {
		some |= w
	}
	return some == 0
}

// clear empties the set and keeps its memory.
func (s *bitset) clear() {
	s.low = 0
	if s.high != nil {
		clear(s.high)
	}
}

// words calls yield with where each word is, for snapshots.
func (s *bitset) words(yield func(*uint64)) {
	yield(&s.low)
	for i := range s.high {
		yield(&s.high[i])
	}
}
