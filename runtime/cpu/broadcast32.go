package cpu

// broadcast32 is [Broadcast] of float32 on several threads. It returns false without an effect for a single
// row, as f itself uses several threads.
func (it *nest2) broadcast32(dst, a, b []float32, f func(dst, a, b []float32)) bool {
	if it.rank < 2 {
		return false
	}
	t := broadcasters.get()
	*t = broadcaster{nest2: *it, dst: dst, x: a, y: b, f: f}
	n := it.size[it.rank-1]
	t.perTurn = max(1, vecTurn/n)
	t.together = t.repeats()
	rows := len(dst) / n
	parallel((rows+t.perTurn-1)/t.perTurn, len(dst)/2+10*rows, t)
	*t = broadcaster{}
	broadcasters.put(t)
	return true
}

var broadcasters freelist[broadcaster]

// broadcaster is the task of a broadcast. A turn does some rows.
type broadcaster struct {
	nest2
	dst, x, y []float32
	f         func(dst, a, b []float32)
	perTurn   int
	together  int // short rows that are computed at once, as one operand is the same for them
}

// repeats returns the number of short rows that are computed at once, or 0 if that is not possible.
func (t *broadcaster) repeats() int {
	const short, long = 64, 512
	last := t.rank - 1
	n := t.size[last]
	a, b := t.a[last-1], t.b[last-1]
	if n > short || n == 1 || t.a[last] != 1 || t.b[last] != 1 || !(a == 0 && b == n || a == n && b == 0) {
		return 0
	}
	return min(t.size[last-1], long/n)
}

func (t *broadcaster) run(i int) {
	n := t.size[t.rank-1]
	row := i * t.perTurn
	last := min(row+t.perTurn, len(t.dst)/n)
	if t.together < 2 {
		it := t.nest2
		it.seek(row)
		an, bn := it.a[it.rank-1]*(n-1)+1, it.b[it.rank-1]*(n-1)+1
		for ; row < last; row++ {
			t.f(t.dst[row*n:][:n], t.x[it.ai:it.ai+an], t.y[it.bi:it.bi+bn])
			it.next()
		}
		return
	}
	for inner := t.size[t.rank-2]; row < last; {
		rows := min(last-row, inner-row%inner)
		t.repeat(row, rows)
		row += rows
	}
}

// repeat computes rows for which one operand is the same, by repeating that operand.
func (t *broadcaster) repeat(row, rows int) {
	it := t.nest2
	it.seek(row)
	n := t.size[t.rank-1]
	same := t.x[it.ai:][:n]
	if it.b[it.rank-2] == 0 {
		same = t.y[it.bi:][:n]
	}
	wide := scratch.get(min(t.together, rows) * n)
	for at := 0; at < len(wide); at += n {
		copy(wide[at:], same)
	}
	for r := 0; r < rows; r += t.together {
		m := min(t.together, rows-r) * n
		d := t.dst[(row+r)*n:][:m]
		if it.b[it.rank-2] == 0 {
			t.f(d, t.x[it.ai+r*n:][:m], wide[:m])
		} else {
			t.f(d, wide[:m], t.y[it.bi+r*n:][:m])
		}
	}
	scratch.put(wide)
}
