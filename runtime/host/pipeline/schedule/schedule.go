// Package schedule gives the order in which the stages of a pipeline compute the forward and backward passes of the
// micro-batches of a step: one forward, one backward (1F1B). It is plain data: it neither computes nor sends.
package schedule

// Action is one pass of a stage over one micro-batch.
type Action struct {
	Backward bool // the backward pass, otherwise the forward pass
	Micro    int  // the number of the micro-batch, from 0
}

// Actions returns what a stage does in a step with a number of micro-batches, in order. First it computes as many
// forward passes as there are stages after it. Then it alternates between one forward and one backward pass, and in
// the end it computes the remaining backward passes. Both kinds of passes go through the micro-batches in order, so
// that sums of gradients have the same bits in each run.
func Actions(stage, stages, micros int) []Action {
	ahead := min(stages-1-stage, micros)
	list := make([]Action, 0, 2*micros)
	for m := range ahead {
		list = append(list, Action{Micro: m})
	}
	for m := range micros {
		if m+ahead < micros {
			list = append(list, Action{Micro: m + ahead})
		}
		list = append(list, Action{Backward: true, Micro: m})
	}
	return list
}

// Held returns for how many micro-batches at most a stage holds values at a time: those whose forward pass it has
// begun and whose backward pass it has not completed.
func Held(stage, stages, micros int) int { return min(stages-stage, micros) }
