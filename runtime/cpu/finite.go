package cpu

import "sync/atomic"

// AllFinite reports whether no element is infinite or NaN.
func AllFinite(x []float32) bool {
	if len(x) < vecLong {
		return allFinite(x)
	}
	t := finiteTasks.get()
	t.x = x
	parallel((len(x)+vecTurn-1)/vecTurn, len(x)/16, t)
	finite := !t.infinite.Swap(false)
	t.x = nil
	finiteTasks.put(t)
	return finite
}

// finiteTask is the task of AllFinite. A turn is a run of elements.
type finiteTask struct {
	x        []float32
	infinite atomic.Bool // one of them is not finite
}

var finiteTasks freelist[finiteTask]

func (t *finiteTask) run(i int) {
	if !allFinite(t.x[i*vecTurn : min((i+1)*vecTurn, len(t.x))]) {
		t.infinite.Store(true)
	}
}

// allFinite is [AllFinite]. A sum with a term that is not finite is not finite; other sums rarely overflow.
func allFinite(x []float32) bool {
	if isFinite(VecSum32(x)) {
		return true
	}
	for _, v := range x {
		if !isFinite(v) {
			return false
		}
	}
	return true
}

// isFinite reports whether v is neither infinite nor NaN.
func isFinite(v float32) bool { return v-v == 0 }
