package partitioner

import "math/bits"

// maxCuts is the maximum number of cut points and of blocks of a module. The engine keeps a bit for each, in
// 64-bit words.
const maxCuts = 1024

// cutSet is a set of cut points, by index.
type cutSet [maxCuts / 64]uint64

func setOf(c *Cut) (s cutSet) {
	s.add(c)
	return s
}

func (s *cutSet) add(c *Cut) { s[c.Index/64] |= 1 << (c.Index % 64) }

func (s *cutSet) has(c *Cut) bool { return s[c.Index/64]>>(c.Index%64)&1 != 0 }

func (s cutSet) or(t cutSet) cutSet {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

func (s *cutSet) isEmpty() bool { return *s == cutSet{} }

func (s *cutSet) count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}
