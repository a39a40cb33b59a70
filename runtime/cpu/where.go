package cpu

// Where is dst[i] = a[i] where cond[i] is true, b[i] elsewhere, over the shape to which the three operands,
// of shapes cs, as and bs, broadcast.
func Where[T any](dst []T, cond []bool, a, b []T, shape, cs, as, bs []int) {
	if len(dst) == 0 {
		return
	}
	if d, ok := any(dst).([]float32); ok {
		t := whereTasks.get()
		*t = whereTask{dst: d, cond: cond, a: any(a).([]float32), b: any(b).([]float32)}
		t.nest.init(shape, cs, as, bs)
		t.do()
		return
	}
	var w nest3
	w.init(shape, cs, as, bs)
	w.seek(0)
	for o := 0; o < len(dst); o += w.n {
		row := dst[o : o+w.n]
		c, x, y := w.at[0], w.at[1], w.at[2]
		for i := range row {
			if cond[c] {
				row[i] = a[x]
			} else {
				row[i] = b[y]
			}
			c, x, y = c+w.along[0], x+w.along[1], y+w.along[2]
		}
		w.next()
	}
}

// Select is [Where] for operands of the length of dst, or of one element that stands for all. It runs on one
// thread.
func Select[T any](dst []T, cond []bool, a, b []T) {
	if d, ok := any(dst).([]float32); ok {
		selectRow(d, cond, any(a).([]float32), any(b).([]float32), [3]int{1 & along(cond), 1 & along(a), 1 & along(b)})
		return
	}
	dc, da, db := along(cond), along(a), along(b)
	for i := range dst {
		v := b[i&db]
		if cond[i&dc] {
			v = a[i&da]
		}
		dst[i] = v
	}
}

// nest3 iterates over the rows of a shape with three operands that are broadcast to it.
type nest3 struct {
	rank  int // axes before the last
	size  [maxRank + 1]int
	step  [maxRank + 1][3]int // of the operands
	n     int                 // elements of a row
	along [3]int              // steps of the operands along a row
	index [maxRank + 1]int
	at    [3]int // where the present row begins in the operands
}

// init merges axes with the same steps in all operands.
func (w *nest3) init(shape, as, bs, cs []int) {
	var step [3][maxRank + 1]int
	for j, s := range [...][]int{as, bs, cs} {
		broadcastStrides(step[j][:], shape, s)
	}
	axes := 0
	for i, n := range shape {
		if n == 1 {
			continue
		}
		s := [3]int{step[0][i], step[1][i], step[2][i]}
		if k := axes - 1; k >= 0 && w.step[k] == [3]int{s[0] * n, s[1] * n, s[2] * n} {
			axes = k
			n *= w.size[k]
		}
		w.size[axes], w.step[axes] = n, s
		axes++
	}
	if axes == 0 {
		w.size[0], axes = 1, 1
	}
	w.rank, w.n, w.along = axes-1, w.size[axes-1], w.step[axes-1]
}

// seek goes to a row.
func (w *nest3) seek(row int) {
	w.at = [3]int{}
	for k := w.rank - 1; k >= 0; k-- {
		w.index[k] = row % w.size[k]
		row /= w.size[k]
		for j := range w.at {
			w.at[j] += w.index[k] * w.step[k][j]
		}
	}
}

// next goes to the next row.
func (w *nest3) next() {
	for k := w.rank - 1; k >= 0; k-- {
		w.index[k]++
		back := 0
		if w.index[k] == w.size[k] {
			w.index[k], back = 0, w.size[k]
		}
		for j := range w.at {
			w.at[j] += w.step[k][j] * (1 - back)
		}
		if back == 0 {
			return
		}
	}
}
