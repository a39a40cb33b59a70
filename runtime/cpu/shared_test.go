package cpu

import "testing"

// sharedTurns returns the number of turns of the last loop that f shares with other threads, 0 if there is none.
func sharedTurns(f func()) int {
	before := loop(workers.loop.Load())
	f()
	l := loop(workers.loop.Load())
	if l == before {
		return 0
	}
	return int(l >> 16 & 0xffff)
}

// TestSharedLoops: loops of training over a few hundred thousand elements have turns for more than a few threads, also if there are few
// columns.
func TestSharedLoops(t *testing.T) {
	defer SetThreads(0)
	SetThreads(8)
	const rows, n = 4096, 64
	x, y, sums := make([]float32, rows*n), make([]float32, rows*n), make([]float32, n)
	for name, f := range map[string]func(){
		"AddAct without an activation": func() { AddAct(y, x, ActNone) },
		"AddAct with Relu":             func() { AddAct(y, nil, ActRelu) },
		"LogSoftmax of columns":        func() { LogSoftmax(y, x, rows/n, n, n) },
		"Softmax of columns":           func() { Softmax(y, x, rows/n, n, n) },
		"ReduceSum of a middle axis":   func() { ReduceSum(y[:rows], x, []int{rows / n, n, n}, []int{rows / n, 1, n}) },
		"ReduceSum of columns":         func() { ReduceSum(sums, x, []int{rows, n}, []int{1, n}) },
	} {
		if turns := sharedTurns(f); turns < 16 {
			t.Errorf("%s: %d turns are shared, want 16 or more", name, turns)
		}
	}
}
