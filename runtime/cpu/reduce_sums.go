package cpu

// sums32 and the like are the sums that reductions of float32 compute.
var (
	sums32 = summing{
		rows: vecSumRowsAtLevel, row: VecSum32, columns: vecSumColumns,
		matrix: func(dst, x []float32, n, m int) { sumMatrix(dst, x, m, vecSumColumns) },
	}
	squares32 = summing{
		rows: vecSquareRowsAtLevel, row: func(x []float32) float32 { return VecDot32(x, x) }, columns: vecSquareColumns,
		matrix: func(dst, x []float32, n, m int) { sumMatrix(dst, x, m, vecSquareColumns) },
	}
	magnitudes32 = summing{
		rows: vecAbsRowsAtLevel, row: vecSumAbs, columns: vecAbsColumns,
		matrix: func(dst, x []float32, n, m int) { sumMatrix(dst, x, m, vecAbsColumns) },
	}
)

// summing is how a sum is computed.
type summing struct {
	rows    func(dst, x []float32, n int) bool // of whole groups of rows of n elements, which [grouped] counts; false: none are
	row     func(x []float32) float32          // of one row
	columns func(dst, x []float32, rows int)   // of the columns of some rows, which is added to dst
	matrix  func(dst, x []float32, n, m int)   // of the columns of n rows, of m elements
}

// maxGrouped is the most elements of a row that is computed in a group.
const maxGrouped = 64

// groupRows is a multiple of the rows of a group at any level.
const groupRows = 16

// vecSumAbs returns the sum of the absolute values of x in the order of [VecSum32].
func vecSumAbs(x []float32) float32 {
	var s [64]float32
	if whole := len(x) / len(s); whole > 0 {
		vecAbsColumns(s[:], x, whole)
		x = x[whole*len(s):]
	}
	if len(x) > 0 {
		vecAbsColumns(s[:len(x)], x, 1)
	}
	return fold(&s)
}

// reduceSums32 reduces rows, or columns, of float32. It reports whether these are float32 in such an order.
func reduceSums32[T Number](dst, x []T, s *summing, shape, to []int) bool {
	d, ok := any(dst).([]float32)
	if !ok {
		return false
	}
	x32 := any(x).([]float32)
	var r reduction
	switch r.init(shape, to); {
	case r.columns():
		clear(d)
		columnSums(d, x32, r.n, s.columns)
	case r.middle():
		eachOuter(d, x32, r.size[0], r.size[1], r.n, s.matrix)
	case r.rows():
		t := sumTasks.get()
		*t = sumTask{s: s, dst: d, x: x32, n: r.n, per: rowsOfTurn(r.n)}
		parallel((len(d)+t.per-1)/t.per, len(x)/8, t)
		*t = sumTask{}
		sumTasks.put(t)
	default:
		return false
	}
	return true
}

// sumTask is the task of summing each row of n elements. A turn is some rows.
type sumTask struct {
	s      *summing
	dst, x []float32
	n, per int
}

var sumTasks freelist[sumTask]

func (t *sumTask) run(i int) {
	lo, hi := i*t.per, min((i+1)*t.per, len(t.dst))
	sumRows(t.dst[lo:hi], t.x[lo*t.n:hi*t.n], t.n, t.s)
}

// sumRows sums rows of n elements.
func sumRows(dst, x []float32, n int, s *summing) {
	if some := grouped(len(dst), n); some > 0 && s.rows(dst[:some], x, n) {
		dst, x = dst[some:], x[some*n:]
	}
	for i := range dst {
		dst[i] = s.row(row(x, i, n))
	}
}

// sumMatrix sums the columns of a matrix, whose rows have n elements.
func sumMatrix(dst, x []float32, n int, columns func(dst, x []float32, rows int)) {
	clear(dst)
	addColumns(dst, x, n, columns)
}

// addColumns adds the columns of a matrix to dst, those of each columnRows rows separately first.
func addColumns(dst, x []float32, n int, columns func(dst, x []float32, rows int)) {
	for ; len(x) > columnRows*n; x = x[columnRows*n:] {
		columns(dst, x, columnRows)
	}
	if len(x) > 0 {
		columns(dst, x, len(x)/n)
	}
}

// vecSumColumnsGo adds the sums of columns of x to dst, which has the length of a row.
func vecSumColumnsGo(dst, x []float32, rows int) {
	columnsGo(dst, x, rows, func(sums, x []float32) { VecAdd32(sums, sums, x) })
}

// vecSquareColumnsGo adds the sums of the squares of the columns of x to dst.
func vecSquareColumnsGo(dst, x []float32, rows int) {
	columnsGo(dst, x, rows, func(sums, x []float32) { addProduct(sums, x, x) })
}

// vecAbsColumnsGo adds the sums of the absolute values of the columns of x to dst.
func vecAbsColumnsGo(dst, x []float32, rows int) {
	columnsGo(dst, x, rows, func(sums, x []float32) {
		for i, v := range x {
			sums[i] += abs32(v)
		}
	})
}

// columnsGo adds up some columns at a time, and then to dst.
func columnsGo(dst, x []float32, rows int, add func(sums, x []float32)) {
	const most = 128 // columns
	buf := scratch.get(min(most, len(dst)))
	defer scratch.put(buf)
	for n, j := len(dst), 0; j < n; j += most {
		sums := buf[:min(most, n-j)]
		clear(sums)
		for k := range rows {
			add(sums, x[k*n+j:][:len(sums)])
		}
		VecAdd32(dst[j:j+len(sums)], dst[j:], sums)
	}
}
