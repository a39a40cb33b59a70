package mem

import "container/heap"

// happening is something that will happen at a time.
type happening struct {
	at  int64
	seq uint64 // breaks ties: first planned, first done
	do  func()
}

// queue is what will happen, soonest first.
type queue struct {
	list []happening
	seq  uint64
}

func (q *queue) Len() int { return len(q.list) }
func (q *queue) Less(i, j int) bool {
	a, b := &q.list[i], &q.list[j]
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}
func (q *queue) Swap(i, j int) { q.list[i], q.list[j] = q.list[j], q.list[i] }
func (q *queue) Push(x any)    { q.list = append(q.list, x.(happening)) }
func (q *queue) Pop() any {
	x := q.list[len(q.list)-1]
	q.list[len(q.list)-1] = happening{}
	q.list = q.list[:len(q.list)-1]
	return x
}

func (q *queue) plan(at int64, do func()) {
	q.seq++
	heap.Push(q, happening{at, q.seq, do})
}

func (q *queue) next() happening { return heap.Pop(q).(happening) }
