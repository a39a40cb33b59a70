package onnx

import (
	"container/heap"
	"fmt"
	"sort"

	"github.com/bbgen/bbgen/ir"
)

// sorted brings the nodes of a graph into an order in which they can run. It
// changes nothing that need not change.
func sorted(nodes []*ir.Node, s *scope) ([]*ir.Node, error) {
	index := make(map[*ir.Node]int, len(nodes))
	for i, n := range nodes {
		index[n] = i
	}
	deps := make([][]int, len(nodes))
	for i, n := range nodes {
		for _, def := range s.reads[n] {
			if j, ok := index[def]; ok {
				deps[i] = append(deps[i], j)
			}
		}
	}
	seq, bad := order(deps)
	if bad >= 0 {
		return nil, fmt.Errorf("%s: it reads what is computed from its own output", nodes[bad])
	}
	out := make([]*ir.Node, len(nodes))
	for i, j := range seq {
		out[i] = nodes[j]
	}
	return out, nil
}

// order lists 0 to len(deps)-1 such that i comes after all of deps[i], and
// smaller numbers first where there is a choice. If there is no such order,
// bad lies on a cycle, else it is -1.
func order(deps [][]int) (seq []int, bad int) {
	users := make([][]int, len(deps))
	waits := make([]int, len(deps))
	ready := &ints{}
	for i, list := range deps {
		for _, j := range list {
			users[j] = append(users[j], i)
		}
		if waits[i] = len(list); waits[i] == 0 {
			heap.Push(ready, i)
		}
	}
	for ready.Len() > 0 {
		i := heap.Pop(ready).(int)
		seq = append(seq, i)
		for _, u := range users[i] {
			if waits[u]--; waits[u] == 0 {
				heap.Push(ready, u)
			}
		}
	}
	if len(seq) == len(deps) {
		return seq, -1
	}
	return nil, onCycle(deps, waits)
}

// onCycle finds a number on a cycle: whoever waits, waits for one that waits,
// and the walk along them ends up in a circle.
func onCycle(deps [][]int, waits []int) int {
	next := func(i int) int {
		for _, j := range deps[i] {
			if waits[j] > 0 {
				return j
			}
		}
		panic("BUG: a node waits for nothing")
	}
	at := 0
	for waits[at] == 0 {
		at++
	}
	for range deps {
		at = next(at)
	}
	return at
}

// ints is a heap of numbers, the smallest on top.
type ints struct{ sort.IntSlice }

func (h *ints) Push(x any) { h.IntSlice = append(h.IntSlice, x.(int)) }

func (h *ints) Pop() any {
	last := len(h.IntSlice) - 1
	x := h.IntSlice[last]
	h.IntSlice = h.IntSlice[:last]
	return x
}
