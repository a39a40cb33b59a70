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
