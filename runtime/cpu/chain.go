package cpu

import "unsafe"

// A Chain is a list of elementwise kernels that read each other's results. Part runs all of them on a part of
// their elements, so that intermediate values stay in the cache.
type Chain interface{ Part(p *Part) }

// Parts tells how the elements of a chain are divided: into groups of the Rows rows of Len elements, or into
// parts of a row.
type Parts struct {
	Rows, Len int
	ByRow     bool // an operand differs between rows, so only short rows are grouped
	Temps     int  // the number of buffers for values of a part
	Calls     int  // the number of its kernels
}

// Part is a part of a chain's elements: Lo ≤ i < Hi of all.
type Part struct {
	Lo, Hi int

	row, from int // the row in which it begins, and the position in it
	rows      int // the number of whole rows; 0 if it is a part of one
	len       int // of a row
	fresh     bool
	temps     []float32
}

const (
	partLen  = 1024        // roughly the elements of a part: few enough for some vectors of them to stay in L1
	partTemp = 2 * partLen // the float32s of a buffer for that number of elements of 8 bytes
	partTurn = vecTurn / partLen
)

// InParts runs a chain on all its elements, on several threads if that is faster.
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

// chainTask is the task of a chain. A turn is some parts.
type chainTask struct {
	Parts
	chain   Chain
	rows    int // of a part; 0 if it is a part of a row
	perRow  int // parts of a row
	size    int // elements of such a part, except the last
	parts   int
	perTurn int
}

// cut computes the sizes of parts.
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

// place sets p to part k.
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

// Temp returns buffer k for a value of the part with elements of up to 8 bytes. Its contents are arbitrary.
func Temp[T any](p *Part, k int) []T { return temp[T](p, k, p.Hi-p.Lo) }

func temp[T any](p *Part, k, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(&p.temps[k*partTemp])), n)
}

// EachRow returns an operand that is the same for each row, in the order of the part's elements. It uses
// buffer k.
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

// OfRow returns an operand with one element for each group of rows, repeated from the start when there are
// more groups. If the part has several rows, the elements are in the order of the part's elements, in buffer
// k.
func OfRow[T any](p *Part, k int, x []T, rows int) []T {
	if p.rows == 0 {
		return x[p.row/rows%len(x):][:1]
	}
	out := Temp[T](p, k)
	at, count := p.row%len(x), len(out)/p.len
	if y, ok := any(x).([]float32); ok && rows == 1 && at+count <= len(x) {
		vecRepeat(any(out).([]float32), y[at:][:count], p.len)
		return out
	}
	for i := 0; i < len(out); i += p.len {
		v, d := x[(p.row+i/p.len)/rows%len(x)], out[i:][:p.len]
		for j := range d {
			d[j] = v
		}
	}
	return out
}

// RowOf is [OfRow] for an operand with a row for each group instead of an element.
func RowOf[T any](p *Part, k int, x []T, rows int) []T {
	n := len(x) / p.len
	if p.rows == 0 {
		return x[p.row/rows%n*p.len+p.from:][:p.Hi-p.Lo]
	}
	if at := p.row % n * p.len; rows == 1 && at+p.Hi-p.Lo <= len(x) {
		return x[at:][:p.Hi-p.Lo]
	}
	out := Temp[T](p, k)
	for r, last := p.row, p.row+len(out)/p.len; r < last; {
		group := min(rows-r%rows, last-r) // the rows that follow with the same row of x
		fillRows(out[(r-p.row)*p.len:][:group*p.len], row(x, r/rows%n, p.len))
		r += group
	}
	return out
}

// fillRows fills dst with copies of x, by copying the filled part.
func fillRows[T any](dst, x []T) {
	n := copy(dst, x)
	for n < len(dst) {
		n += copy(dst[n:], dst[:n])
	}
}
