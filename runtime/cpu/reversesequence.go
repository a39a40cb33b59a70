package cpu

// ReverseSequence reverses the first lens[b] steps of each sequence b. x is [time, batch, inner], or [batch,
// time, inner] unless timeMajor.
func ReverseSequence[T any](dst, x []T, lens []int64, batch, time, inner int, timeMajor bool) {
	bstep, tstep := time*inner, inner
	if timeMajor {
		bstep, tstep = inner, batch*inner
	}
	for b := range batch {
		n := toInt(lens[b])
		if n < 0 || n > time {
			fail("ReverseSequence", "sequence %d has length %d, want 0 to %d", b, n, time)
		}
		for t := range time {
			from := t
			if t < n {
				from = n - 1 - t
			}
			copy(dst[b*bstep+t*tstep:][:inner], x[b*bstep+from*tstep:])
		}
	}
}
