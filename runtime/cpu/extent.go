package cpu

// Extent returns the size of an axis that depends on data: the product of its factors, which must not be
// negative.
func Extent(factors []int, op string) int {
	n := 1
	for _, f := range factors {
		if f < 0 || f > 0 && n > maxExtent/f {
			fail(op, "an axis has size %s", listed(factors))
		}
		n *= f
	}
	return n
}

// maxExtent is the maximum size of an axis that depends on data.
const maxExtent = 1<<31 - 1

// SplitSize returns the size of part i of an axis of n elements that is split into the given parts.
func SplitSize(parts []int, i, n int) int {
	sum := 0
	for _, p := range parts {
		if p < 0 || p > n-sum {
			fail("Split", "split %s does not cut an axis of size %d", listed(parts), n)
		}
		sum += p
	}
	if sum != n {
		fail("Split", "split %s does not cut an axis of size %d", listed(parts), n)
	}
	return parts[i]
}
