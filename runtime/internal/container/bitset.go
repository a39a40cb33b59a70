package container

// Bitset is a set of small numbers, such as those of the cut points or blocks of a module. Few modules have more
// than 64 of either.
type Bitset struct {
	low  uint64
	high []uint64 // the bits from 64 on; nil if there are none
}

// NewBitset returns an empty set of numbers less than n.
func NewBitset(n int) Bitset {
	if n <= 64 {
		return Bitset{}
	}
	return Bitset{high: make([]uint64, (n-1)/64)}
}

// Has reports whether a number is in the set.
func (s *Bitset) Has(i int) bool {
	if i < 64 {
		return s.low>>uint(i)&1 != 0
	}
	return s.high[i/64-1]>>uint(i%64)&1 != 0
}

// Add puts a number into the set.
func (s *Bitset) Add(i int) {
	if i < 64 {
		s.low |= 1 << uint(i)
	} else {
		s.high[i/64-1] |= 1 << (i % 64)
	}
}

// Remove removes a number from the set.
func (s *Bitset) Remove(i int) {
	if i < 64 {
		s.low &^= 1 << uint(i)
	} else {
		s.high[i/64-1] &^= 1 << (i % 64)
	}
}

// Covers reports whether all of t is in s. t may have fewer words.
func (s *Bitset) Covers(t *Bitset) bool {
	return s.low&t.low == t.low && (t.high == nil || s.coversHigh(t))
}

func (s *Bitset) coversHigh(t *Bitset) bool {
	for i, w := range t.high {
		if s.high[i]&w != w {
			return false
		}
	}
	return true
}

// Width returns how many numbers the set has room for.
func (s *Bitset) Width() int { return 64 * (1 + len(s.high)) }

// Widen makes room for all numbers less than n.
func (s *Bitset) Widen(n int) {
	for s.Width() < n {
		s.high = append(s.high, 0)
	}
}

// Empty reports whether the set is empty.
func (s *Bitset) Empty() bool {
	some := s.low
	for _, w := range s.high {
		some |= w
	}
	return some == 0
}

// Clear empties the set and keeps its memory.
func (s *Bitset) Clear() {
	s.low = 0
	if s.high != nil {
		clear(s.high)
	}
}

// Words calls yield with a pointer to each word, for snapshots.
func (s *Bitset) Words(yield func(*uint64)) {
	yield(&s.low)
	for i := range s.high {
		yield(&s.high[i])
	}
}
