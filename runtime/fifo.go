package runtime

// fifo is a queue that grows as it is used.
type fifo[T any] struct {
	items []T
	head  int
	n     int
}

func (q *fifo[T]) push(x T) { *q.add() = x }

// add makes place for one more at the end, which is zero, and returns where it is:
// a large one is written there at once.
func (q *fifo[T]) add() *T {
	if q.n == len(q.items) {
		q.grow()
	}
	q.n++
	return q.at(q.n - 1)
}

func (q *fifo[T]) grow() {
	grown := make([]T, max(8, 2*len(q.items)))
	for i := range q.n {
		grown[i] = *q.at(i)
	}
	q.items, q.head = grown, 0
}

func (q *fifo[T]) pop() T {
	x := q.items[q.head]
	q.drop()
	return x
}

// drop forgets the first of the queue.
func (q *fifo[T]) drop() {
	var zero T
	q.items[q.head] = zero
	q.head = (q.head + 1) & (len(q.items) - 1)
	q.n--
}

// at returns the i-th of the queue. Invariant: len(items) is a power of two.
func (q *fifo[T]) at(i int) *T { return &q.items[(q.head+i)&(len(q.items)-1)] }
