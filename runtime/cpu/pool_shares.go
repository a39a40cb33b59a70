package cpu

import "math/bits"

// shares divides elements into shares of nearly the same size, each of fewer than 64: share i of n begins with element i·elements/n.
// It multiplies, as loops over small shares would spend a percent of their time on divisions.
type shares struct {
	each uint64 // the elements of a share in units of 2⁻⁵⁸, rounded up
}

const shareBits = 58

func sharesOf(elements, n int) shares {
	each, _ := bits.Div64(uint64(elements)>>(64-shareBits), uint64(elements)<<shareBits, uint64(n))
	return shares{each + 1}
}

// first returns the first element of share i. With fewer than 2²⁹ shares the error of each, i times, is not enough to reach the next
// integer.
func (s shares) first(i int) int {
	hi, lo := bits.Mul64(uint64(i), s.each)
	return int(hi<<(64-shareBits) | lo>>shareBits)
}
