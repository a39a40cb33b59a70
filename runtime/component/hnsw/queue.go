package hnsw

// queue is a binary heap: the first is the nearest, or the farthest.
type queue struct {
	list     []near
	farthest bool
}

func (q *queue) before(a, b near) bool {
	return nearest(a, b) < 0 != q.farthest
}

func (q *queue) push(n near) {
	q.list = append(q.list, n)
	for i := len(q.list) - 1; i > 0; {
		parent := (i - 1) / 2
		if !q.before(q.list[i], q.list[parent]) {
			return
		}
		q.list[i], q.list[parent] = q.list[parent], q.list[i]
		i = parent
	}
}

// pop removes and returns the first element of a nonempty queue.
func (q *queue) pop() near {
	first, last := q.list[0], len(q.list)-1
	q.list[0] = q.list[last]
	q.list = q.list[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return first
		}
		if right := child + 1; right < last && q.before(q.list[right], q.list[child]) {
			child = right
		}
		if !q.before(q.list[child], q.list[i]) {
			return first
		}
		q.list[i], q.list[child] = q.list[child], q.list[i]
		i = child
	}
}
