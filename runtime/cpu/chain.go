package cpu

import "unsafe"

// A Chain is a list of elementwise kernels in which one reads what another writes. Part runs them all on a part of their
// elements, so that what passes between them stays in the cache.
type Chain interface{ Part(p *Part) }

// Parts says how the elements of a chain are cut: into some of Rows rows of Len elements, or into parts of a row.
type Parts struct {
	Rows, Len int
	ByRow     bool // operands have something of their own for each row: all but short rows are done one at a time
	Temps     int  // how many places of a part's size the chain asks for
	Calls     int  // how many kernels it runs
}

// Part is a part of a chain's elements: those from Lo to Hi of all.
type Part struct {
	Lo, Hi int

	row, from int // the row that it begins in, and where
	rows      int // how many whole rows it has, 0 if it is a part of one
	len       int // of a row
	fresh     bool
	temps     []float32
}

const (
	partLen  = 1024        // elements of a part, about: few enough for some vectors of them to stay in L1
	partTemp = 2 * partLen // float32s that make a place for as many elements of 8 bytes
	partTurn = vecTurn / partLen
)

// InParts runs a chain on all of its elements, on threads if that is worth it.
func InParts(c Chain, n Parts) {
	if n.Rows == 0 || n.Len == 0 {
		return
	}
	t := chainTasks.get()
	*t = chainTask{chain: c, Parts: n}
	t.cut()
	parallel((t.parts+t.perTurn-1)/t.perTurn, n.Rows*n.Len*n.Calls/2, t)
	*t = chainTask{}
	chainTasks.put(t)
}

var (
	chainTasks freelist[chainTask]
	chainParts freelist[Part]
)

// chainTask is the task of a chain; a turn does some parts.
type chainTask struct {
	Parts
	chain   Chain
	rows    int // of a part, 0 if it is a part of one
	perRow  int // parts of a row
	size    int // elements of such a part, but of the last
	parts   int
	perTurn int
}

// cut decides how large the parts are.
func (t *chainTask) cut() {
	short := partLen / 2
	if t.ByRow {
		short = partLen / 8
	}
	if t.Rows > 1 && t.Len <= short {
		t.rows = min(partLen/t.Len, t.Rows)
		t.parts, t.perTurn = (t.Rows+t.rows-1)/t.rows, partTurn
		return
	}
	t.perRow = (t.Len + partLen - 1) / partLen
	t.size = min(((t.Len+t.perRow-1)/t.perRow+15)&^15, partLen)
	t.parts, t.perTurn = t.Rows*t.perRow, max(partTurn, vecTurn/t.Len)
}

func (t *chainTask) run(i int) {
	p := chainParts.get()
	temps := scratch.get(t.Temps * partTemp)
	*p = Part{rows: t.rows, len: t.Len, fresh: true, temps: temps}
	for k := i * t.perTurn; k < min((i+1)*t.perTurn, t.parts); k++ {
		t.place(p, k)
		t.chain.Part(p)
		p.fresh = false
	}
	scratch.put(temps)
	*p = Part{}
	chainParts.put(p)
}

// place makes p the part with number k.
func (t *chainTask) place(p *Part, k int) {
	if t.rows > 0 {
		p.row = k * t.rows
		p.Lo, p.Hi = p.row*t.Len, min(p.row+t.rows, t.Rows)*t.Len
		return
	}
	p.row = k / t.perRow
	p.from = k % t.perRow * t.size
	p.Lo, p.Hi = p.row*t.Len+p.from, p.row*t.Len+min(p.from+t.size, t.Len)
}

// Temp is a place for a value of the part, the same for the same k, of elements of 8 bytes or less. What it holds is
// arbitrary.
func Temp[T any](p *Part, k int) []T { return temp[T](p, k, p.Hi-p.Lo) }

func temp[T any](p *Part, k, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(&p.temps[k*partTemp])), n)
}

// EachRow is an operand that is the same for each row, as it runs along the part; place k holds it.
func EachRow[T any](p *Part, k int, x []T) []T {
	if p.rows == 0 {
		return x[p.from:][:p.Hi-p.Lo]
	}
	all := temp[T](p, k, p.rows*len(x))
	if p.fresh {
		for i := 0; i < len(all); i += len(x) {
			copy(all[i:], x)
		}
	}
	return all[:p.Hi-p.Lo]
}

// OfRow is an operand that has one element for so many rows after each other, and begins again when there are no more.
// Place k holds it as it runs along the part, if that is of several rows.
func OfRow[T any](p *Part, k int, x []T, rows int) []T {
	if p.rows == 0 {
		return x[p.row/rows%len(x):][:1]
	}
	out := Temp[T](p, k)
	for i := 0; i < len(out); i += p.len {
		v, d := x[(p.row+i/p.len)/rows%len(x)], out[i:][:p.len]
		for j := range d {
			d[j] = v
		}
	}
	return out
}

// RowOf is [OfRow] for an operand that has a row where that has one element.
func RowOf[T any](p *Part, k int, x []T, rows int) []T {
	n := len(x) / p.len
	if p.rows == 0 {
		return x[p.row/rows%n*p.len+p.from:][:p.Hi-p.Lo]
	}
	out := Temp[T](p, k)
	for i := 0; i < len(out); i += p.len {
		copy(out[i:], row(x, (p.row+i/p.len)/rows%n, p.len))
	}
	return out
}
