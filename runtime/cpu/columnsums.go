package cpu

// columnTask is the task of summing the columns of a matrix. A turn is some columns.
type columnTask struct {
	dst, x []float32
	n      int
}

var columnTasks freelist[columnTask]

const (
	columnTurn = 32 // columns of a turn: two cache lines of each row
	columnRows = 16 // rows that are summed separately
)

// columnSums adds the rows of x, which have n elements, to dst. Each run of columnRows rows is summed
// separately first, so that rounding errors stay small.
func columnSums(dst, x []float32, n int) {
	if n == 0 {
		return
	}
	t := columnTasks.get()
	*t = columnTask{dst: dst, x: x, n: n}
	parallel((n+columnTurn-1)/columnTurn, len(x)/4, t)
	*t = columnTask{}
	columnTasks.put(t)
}

func (t *columnTask) run(i int) {
	lo, hi := i*columnTurn, min((i+1)*columnTurn, t.n)
	var own [columnTurn]float32
	part := own[:hi-lo]
	rows := len(t.x) / t.n
	for r := 0; r < rows; r += columnRows {
		copy(part, t.x[r*t.n+lo:])
		for k := r + 1; k < min(r+columnRows, rows); k++ {
			VecAdd32(part, part, t.x[k*t.n+lo:])
		}
		VecAdd32(t.dst[lo:hi], t.dst[lo:hi], part)
	}
}
