package dsl

// maxSteps limits how often a program calls its graphs. Large models have some ten thousand nodes.
const maxSteps = 100_000

// endless is the panic that ends a Body that records too much, at the line that it has come to.
type endless struct{ at pos }

// step counts a call of the author. When there are too many, the Body ends: it may never end by itself.
func (r *recorder) step(p pos) {
	if r.steps++; r.steps > maxSteps {
		panic(endless{p})
	}
}

// endless reports, once, that the Body of a function has recorded too much.
func (r *recorder) endless(e endless, fn *function) {
	if r.over {
		return
	}
	r.over = true
	name := "model " + r.m.Name
	if fn.module != nil {
		name = "module " + nameOf(fn.module)
	}
	r.errs = nil // they may be as many
	r.failAt(e.at, "%s: the program has called its graph %d times, want %d at most: does a loop in a Body never end?", name, maxSteps, maxSteps)
}
