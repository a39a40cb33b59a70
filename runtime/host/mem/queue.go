package mem

// happening is a planned function call at a time.
type happening struct {
	at  int64
	seq uint64 // breaks ties in the order of planning
	do  func()
}

func (a *happening) before(b *happening) bool { return a.at < b.at || a.at == b.at && a.seq < b.seq }

// queue is a heap of planned calls.
//
// Invariant: list[i] is before its children list[4i+1] to list[4i+4].
type queue struct {
	list []happening
	seq  uint64
}

func (q *queue) Len() int { return len(q.list) }

func (q *queue) plan(at int64, do func()) {
	q.seq++
	x := happening{at, q.seq, do}
	q.list = append(q.list, x)
	i := len(q.list) - 1
	for i > 0 {
		up := (i - 1) / 4
		if !x.before(&q.list[up]) {
			break
		}
		q.list[i] = q.list[up]
		i = up
	}
	q.list[i] = x
}

// next removes and returns the first call.
func (q *queue) next() happening {
	first, last := q.list[0], len(q.list)-1
	x := q.list[last]
	q.list[last] = happening{}
	q.list = q.list[:last]
	if last > 0 {
		q.sink(x)
	}
	return first
}

// sink places x, beginning at the root, which is free.
func (q *queue) sink(x happening) {
	i := 0
	for {
		child := 4*i + 1
		if child >= len(q.list) {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, len(q.list)); c++ {
			if q.list[c].before(&q.list[least]) {
				least = c
			}
		}
		if !q.list[least].before(&x) {
			break
		}
		q.list[i] = q.list[least]
		i = least
	}
	q.list[i] = x
}
