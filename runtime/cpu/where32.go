package cpu

// whereTask is the task of [Where] for float32. A turn is some rows.
type whereTask struct {
	dst  []float32
	cond []bool
	a, b []float32
	nest nest3
	rows int
	per  int // rows of a turn
}

var whereTasks freelist[whereTask]

// do runs t and gives it back.
func (t *whereTask) do() {
	t.rows = len(t.dst) / t.nest.n
	t.per = max(1, vecTurn/t.nest.n)
	parallel((t.rows+t.per-1)/t.per, len(t.dst)/2, t)
	*t = whereTask{}
	whereTasks.put(t)
}

func (t *whereTask) run(i int) {
	w := t.nest
	w.seek(i * t.per)
	for r := i * t.per; r < min((i+1)*t.per, t.rows); r++ {
		selectRow(row(t.dst, r, w.n), t.cond[w.at[0]:], t.a[w.at[1]:], t.b[w.at[2]:], w.along)
		w.next()
	}
}

// selectRow computes a row of [Where] for operands with steps of 0 or 1, or with other steps.
func selectRow(dst []float32, cond []bool, a, b []float32, step [3]int) {
	switch step {
	case [3]int{1, 1, 1}:
		vecWhere(dst, cond, a, b)
	case [3]int{1, 1, 0}:
		vecWhereS(dst, cond, a, b[0])
	case [3]int{1, 0, 1}:
		vecWhereNotS(dst, cond, b, a[0])
	default:
		whereSteps(dst, cond, a, b, step)
	}
}

// whereSteps computes a row of [Where] for operands with any steps.
func whereSteps(dst []float32, cond []bool, a, b []float32, step [3]int) {
	c, x, y := 0, 0, 0
	for i := range dst {
		if cond[c] {
			dst[i] = a[x]
		} else {
			dst[i] = b[y]
		}
		c, x, y = c+step[0], x+step[1], y+step[2]
	}
}

// vecWhereGo is dst[i] = a[i] where cond[i] is true, and b[i] elsewhere.
func vecWhereGo(dst []float32, cond []bool, a, b []float32) {
	for i := range dst {
		v := b[i]
		if cond[i] {
			v = a[i]
		}
		dst[i] = v
	}
}

// vecWhereSGo is dst[i] = a[i] where cond[i] is true, and s elsewhere.
func vecWhereSGo(dst []float32, cond []bool, a []float32, s float32) {
	for i := range dst {
		v := s
		if cond[i] {
			v = a[i]
		}
		dst[i] = v
	}
}

// vecWhereNotSGo is dst[i] = s where cond[i] is true, and a[i] elsewhere.
func vecWhereNotSGo(dst []float32, cond []bool, a []float32, s float32) {
	for i := range dst {
		v := a[i]
		if cond[i] {
			v = s
		}
		dst[i] = v
	}
}
