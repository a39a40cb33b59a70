package cpu

// nest is a loop nest that copies elements. Each axis has a size, and a step in both operands. Axes that are
// contiguous in both are merged.
type nest struct {
	rank           int
	size, dst, src [2 * maxRank]int
}

// add adds an axis inside the present ones.
func (s *nest) add(size, dst, src int) {
	if size == 1 {
		return
	}
	if k := s.rank - 1; k >= 0 && s.dst[k] == dst*size && s.src[k] == src*size {
		s.size[k], s.dst[k], s.src[k] = s.size[k]*size, dst, src
		return
	}
	s.size[s.rank], s.dst[s.rank], s.src[s.rank] = size, dst, src
	s.rank++
}

// swap exchanges two axes.
func (s *nest) swap(i, k int) {
	s.size[i], s.size[k] = s.size[k], s.size[i]
	s.dst[i], s.dst[k] = s.dst[k], s.dst[i]
	s.src[i], s.src[k] = s.src[k], s.src[i]
}

// total returns the number of elements that the nest copies.
func (s *nest) total() int {
	n := 1
	for _, k := range s.size[:s.rank] {
		n *= k
	}
	return n
}

// copyNest runs the nest from the given places in dst and src.
func copyNest[T any](dst, src []T, s *nest, d, x int) {
	n := s.total()
	if dst, ok := any(dst).([]float32); ok && n >= vecLong && s.size[0] > 1 {
		shareNest(dst, any(src).([]float32), s, d, x, n)
		return
	}
	if n > 0 {
		runNest(dst, src, s, d, x)
	}
}

// innerLoop is the method of copying the innermost axes of a nest.
type innerLoop uint8

const (
	aRun           innerLoop = iota // one axis, element by element
	rowsOfRuns                      // two axes; the inner one is contiguous in both operands
	transposedRows                  // two axes, where rows of one operand are columns of the other
	repeats                         // two axes, where each element of a run is copied several times
)

// innerLoop chooses the loop, and moves the axes that it needs inside.
func (s *nest) innerLoop() innerLoop {
	last := s.rank - 1
	switch {
	case last == 0 || s.dst[last] != 1:
		return aRun
	case s.src[last] == 0:
		if s.src[last-1] == 1 && s.dst[last-1] == s.size[last] {
			return repeats
		}
		return aRun
	case s.src[last] == 1:
		if s.dst[last-1] > 0 && s.src[last-1] > 0 {
			s.moveLongest(last - 1)
			return rowsOfRuns
		}
		return aRun
	}
	for k := range last {
		if s.src[k] == 1 {
			s.swap(k, last-1)
			return transposedRows
		}
	}
	return aRun
}

// moveLongest moves the longest axis to a place where there is a short one, so that few calls copy all. Then copies go through
// all of the operands several times, so these must be in a cache.
func (s *nest) moveLongest(to int) {
	const short, near = 8, 1 << 15
	if s.size[to] >= short || s.total() > near {
		return
	}
	longest := to
	for k := range to {
		if s.size[k] > s.size[longest] && s.dst[k] > 0 && s.src[k] > 0 {
			longest = k
		}
	}
	s.swap(longest, to)
}

// runNest is copyNest for a nest without empty axes, on one thread.
func runNest[T any](dst, src []T, s *nest, d, x int) {
	if s.rank == 0 {
		s.size[0], s.dst[0], s.src[0], s.rank = 1, 1, 1, 1
	}
	last := s.rank - 1
	loop := s.innerLoop()
	outer := last - min(int(loop), 1)
	var index [2 * maxRank]int
	for {
		switch loop {
		case transposedRows:
			copyTransposed(dst[d:], src[x:], s.size[outer], s.size[last], s.dst[outer], s.src[last])
		case rowsOfRuns:
			copyBlock(dst[d:], src[x:], s.size[last], s.size[outer], s.dst[outer], s.src[outer])
		case repeats:
			copyRepeated(dst[d:][:s.size[outer]*s.size[last]], src[x:][:s.size[outer]], s.size[last])
		default:
			copyRun(dst, src, d, x, s.size[last], s.dst[last], s.src[last])
		}
		k := outer - 1
		for ; k >= 0; k-- {
			index[k]++
			d += s.dst[k]
			x += s.src[k]
			if index[k] < s.size[k] {
				break
			}
			d -= s.dst[k] * s.size[k]
			x -= s.src[k] * s.size[k]
			index[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

// copyBlock copies rows of n elements.
func copyBlock[T any](dst, src []T, n, rows, ldd, lds int) {
	if d, ok := any(dst).([]float32); ok {
		copyRows(d, any(src).([]float32), n, rows, ldd, lds)
		return
	}
	for r := range rows {
		copy(dst[r*ldd:][:n], src[r*lds:])
	}
}

// copyRepeated copies each element of src n times.
func copyRepeated[T any](dst, src []T, n int) {
	if d, ok := any(dst).([]float32); ok {
		vecRepeat(d, any(src).([]float32), n)
		return
	}
	for i, v := range src {
		fill(row(dst, i, n), v)
	}
}

// copyRun copies n elements with a step in each operand.
func copyRun[T any](dst, src []T, d, x, n, dstep, sstep int) {
	switch {
	case dstep == 1 && sstep == 1:
		copy(dst[d:d+n], src[x:x+n])
	case dstep == 1 && sstep == 0:
		fill(dst[d:d+n], src[x])
	case dstep == 1:
		for i := range dst[d : d+n] {
			dst[d+i] = src[x]
			x += sstep
		}
	default:
		for range n {
			dst[d] = src[x]
			d += dstep
			x += sstep
		}
	}
}

// square is the side of the blocks that copyTransposed copies; a column of a block stays in L1.
const square = 16

// copyTransposed is
//
//	dst[i·dstep+j] = src[j·sstep+i]   for i < rows, j < cols
func copyTransposed[T any](dst, src []T, rows, cols, dstep, sstep int) {
	if d, ok := any(dst).([]float32); ok {
		copyTransposed32(d, any(src).([]float32), rows, cols, dstep, sstep)
		return
	}
	if d := bytesOf(dst); d != nil && cols == 2 && dstep == 2 {
		s := bytesOf(src)
		pairBytes(d[:2*rows], s[:rows], s[sstep:])
		return
	}
	copySquares(dst, src, rows, cols, dstep, sstep)
}

func copyTransposed32(dst, src []float32, rows, cols, dstep, sstep int) {
	switch {
	case cols == dstep && cols <= 4:
		interleave(dst, src, cols, rows, sstep)
	case rows >= 8 && cols >= 8:
		transpose(dst, src, cols, rows, dstep, sstep)
	default:
		copySquares(dst, src, rows, cols, dstep, sstep)
	}
}

// interleaveGo interleaves the elements of k rows of n:
//
//	for j := range n {
//		for i := range k {
//			dst[j*k+i] = src[i*lds+j]
//		}
//	}
func interleaveGo(dst, src []float32, k, n, lds int) {
	for i := range k {
		for j, v := range src[i*lds:][:n] {
			dst[j*k+i] = v
		}
	}
}

// copySquares is copyTransposed, square by square.
func copySquares[T any](dst, src []T, rows, cols, dstep, sstep int) {
	for i0 := 0; i0 < rows; i0 += square {
		for j0 := 0; j0 < cols; j0 += square {
			n := min(square, cols-j0)
			for i := i0; i < min(i0+square, rows); i++ {
				out := dst[i*dstep+j0:][:n]
				x := j0*sstep + i
				for j := range out {
					out[j] = src[x]
					x += sstep
				}
			}
		}
	}
}
