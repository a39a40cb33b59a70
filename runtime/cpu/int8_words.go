package cpu

// oneRun is the beginnings of runs of a row that is one.
var oneRun = []int{0}

// widen sets the rows of tile t, beginning at r, to words in own, and computes their sums if they are needed.
func (b *byteBlock) widen(t *byteTile, r int, own []byte, rowSums []int32) {
	var at [maxByteRows]int
	starts, run := oneRun, b.k
	if b.rows == nil {
		for i := range at[:t.rows] {
			at[i] = (r + i) * b.lda
		}
	} else {
		starts, run = b.rows.starts, b.rows.run
		b.rows.places(at[:t.rows], r)
	}
	for i, from := range at[:t.rows] {
		sum := widenRuns(own[2*i*b.depth:], b.a[from:], starts, quadsOf(run))
		if rest := run % 4; rest != 0 && b.out.shift != nil { // what follows a run does not count
			for _, s := range starts {
				for _, v := range b.a[from+s+run:][:4-rest] {
					sum -= int32(v)
				}
			}
		}
		rowSums[i] = sum
	}
	t.a, t.lda, t.quads, t.runs, t.wide = own, 2*b.depth, b.depth/4, 1, true
}

// widenRunsGo makes words of 16 bits of runs of groups of four bytes: of the even bytes of a group, then of the odd ones. It
// returns the sum of all bytes. Starts ascend.
//
//	for _, s := range starts {
//		for i := range quads {
//			dst = append(dst, x[s+4*i], x[s+4*i+2], x[s+4*i+1], x[s+4*i+3])
//		}
//	}
func widenRunsGo(dst, x []byte, starts []int, quads int) (sum int32) {
	for _, s := range starts {
		for i := range quads {
			for to, from := range [4]int{0, 2, 1, 3} {
				v := x[s+4*i+from]
				sum += int32(v)
				dst[2*to], dst[2*to+1] = v, 0
			}
			dst = dst[8:]
		}
	}
	return sum
}
