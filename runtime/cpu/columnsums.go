package cpu

// columnTask is the task of summing the columns of a matrix. A turn is columnTurn rows: the loop before usually divided its work by
// rows, too, so that a thread reads what it has written.
type columnTask struct {
	x    []float32
	n    int
	sums []float32 // by turn: its sums, and those of a run
}

var columnTasks freelist[columnTask]

const (
	columnRows = 16  // rows of a run, which are summed separately
	columnTurn = 128 // a multiple of that
)

// columnSums adds the rows of x, which have n elements, to dst. Each run of columnRows rows is summed
// separately first, and so are the runs of a turn, so that rounding errors stay small.
func columnSums(dst, x []float32, n int) {
	if n == 0 {
		return
	}
	turns := (len(x)/n + columnTurn - 1) / columnTurn
	t := columnTasks.get()
	*t = columnTask{x: x, n: n, sums: scratch.get(2 * n * turns)}
	parallel(turns, len(x)/6, t)
	for i := range turns {
		VecAdd32(dst, dst, row(t.sums, i, 2*n)[:n])
	}
	scratch.put(t.sums)
	*t = columnTask{}
	columnTasks.put(t)
}

func (t *columnTask) run(i int) {
	lo, hi := i*columnTurn*t.n, min((i+1)*columnTurn*t.n, len(t.x))
	own := row(t.sums, i, 2*t.n)
	all, run := own[:t.n], own[t.n:]
	clear(all)
	for ; lo < hi; lo += columnRows * t.n {
		copy(run, t.x[lo:])
		for k := lo + t.n; k < min(lo+columnRows*t.n, hi); k += t.n {
			VecAdd32(run, run, t.x[k:k+t.n])
		}
		VecAdd32(all, all, run)
	}
}
