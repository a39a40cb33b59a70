package cpu

// ReshapeDim returns the size of one axis of a tensor of shape old after a Reshape to want, where 0 keeps the
// old axis (unless allowZero) and -1 is inferred.
func ReshapeDim[T Index](want []T, old []int, allowZero bool, axis int) int {
	size := func(i int) int {
		if want[i] == 0 && !allowZero {
			if i >= len(old) {
				fail("Reshape", "shape %s keeps axis %d of an input of rank %d", listed(want), i, len(old))
			}
			return old[i]
		}
		return toInt(want[i])
	}
	total, known, wild := 1, 1, -1
	for _, n := range old {
		total *= n
	}
	for i := range want {
		if n := size(i); n == -1 && wild < 0 {
			wild = i
		} else if n < 0 {
			fail("Reshape", "shape is %s", listed(want))
		} else {
			known *= n
		}
	}
	if known == 0 && wild >= 0 || known > 0 && total%known != 0 || wild < 0 && known != total {
		fail("Reshape", "cannot give shape %s to the shape %s", listed(old), listed(want))
	}
	if axis == wild {
		return total / known
	}
	return size(axis)
}
