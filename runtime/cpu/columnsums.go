package cpu

// columnTask sums the columns of a matrix; a turn takes some of them.
type columnTask struct {
	dst, x []float32
	n      int
}

var columnTasks freelist[columnTask]

// columnTurn is how many columns a turn takes: two cache lines of each row.
const columnTurn = 32

// columnSums adds the rows of x, which have n elements, to dst, from the first to the last.
func columnSums(dst, x []float32, n int) {
	if len(x) < 2*vecTurn {
		for ; len(x) >= n && n > 0; x = x[n:] {
			VecAdd32(dst, dst, x[:n])
		}
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
	for x := t.x; len(x) > 0; x = x[t.n:] {
		VecAdd32(t.dst[lo:hi], t.dst[lo:hi], x[lo:hi])
	}
}
