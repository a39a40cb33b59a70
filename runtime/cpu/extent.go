package cpu

// Extent is the size of an axis that the content of a tensor decides: the
// product of its factors, which must not be negative.
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

// maxExtent bounds the axes that data may ask for.
const maxExtent = 1<<31 - 1

// SplitSize is the size of part i of an axis of n elements that is cut into
// the given parts.
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
