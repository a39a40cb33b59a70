package cpu

// columnTask is the task of summing the columns of a matrix. A turn is columnTurn rows: the loop before usually divided its work by
// rows, too, so that a thread reads what it has written.
type columnTask struct {
	x    []float32
	n    int
	sums []float32                        // by turn
	add  func(dst, x []float32, rows int) // adds the sums of columns to dst
}

var columnTasks freelist[columnTask]

const (
	columnRows = 16  // rows of a run, which are summed separately
	columnTurn = 128 // a multiple of that
)

// columnSums adds the rows of x, which have n elements, to dst; add does so with a few rows. Each run of columnRows rows is summed
// separately first, and so are the runs of a turn, so that rounding errors stay small.
func columnSums(dst, x []float32, n int, add func(dst, x []float32, rows int)) {
	if n == 0 {
		return
	}
	turns := (len(x)/n + columnTurn - 1) / columnTurn
	t := columnTasks.get()
	*t = columnTask{x: x, n: n, sums: scratch.get(n * turns), add: add}
	parallel(turns, len(x)/6, t)
	for i := range turns {
		VecAdd32(dst, dst, row(t.sums, i, n))
	}
	scratch.put(t.sums)
	*t = columnTask{}
	columnTasks.put(t)
}

func (t *columnTask) run(i int) {
	all := row(t.sums, i, t.n)
	clear(all)
	addColumns(all, t.x[i*columnTurn*t.n:min((i+1)*columnTurn*t.n, len(t.x))], t.n, t.add)
}
