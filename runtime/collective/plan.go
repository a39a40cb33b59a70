package collective

// action is the effect of a step in a chunk's plan.
type action uint8

const (
	send   action = iota // to a member, once the host pulls it
	take                 // a member's chunk begins a sum, beside those that are not complete
	own                  // this rank's contribution begins a sum
	add                  // a member's chunk is added to the last sum, or to this rank's contribution if there is none
	addOwn               // this rank's contribution is added to the last sum
	fold                 // the last sum is added to the one before
	finish               // the sum is complete: a mean is divided, and the result is rounded
	store                // a member's chunk is the result
	note                 // a member has come to the same round of the confirmation
)

// receives reports whether a step waits for a message.
func (a action) receives() bool { return a == take || a == add || a == store || a == note }

// step is a step of a plan. Members are numbered by their position.
type step struct {
	do   action
	peer int
}

// open returns how many sums that are not complete there are beside the first, behind some steps. Sums wider than
// their values, which are added in turn, have none.
func open(plan []step) (n int) {
	begun := false
	for _, s := range plan {
		switch s.do {
		case take, own:
			if begun {
				n++
			}
			begun = true
		case add:
			begun = true
		case fold:
			n--
		}
	}
	return n
}

// position is the index of a rank among the members of an epoch.
type position struct{ at, of int }

func (s position) to(d int) int { return ((s.at+d)%s.of + s.of) % s.of }

// segments returns the number of parts of a value that have different plans.
func (s *Spec) segments(a Algorithm, of int) int {
	switch {
	case s.Kind == ReduceScatter || s.Kind == AllGather || a == Ring || a == Pairwise:
		return of
	case a == Halving:
		return powerBelow(of)
	}
	return 1
}

// plan returns the plan of a rank for the chunks of a segment. Root is the position of the spec's root.
func (s *Spec) plan(a Algorithm, o order, me position, segment, root int) []step {
	switch {
	case s.Kind == ReduceScatter && a == Ring:
		return ringReduce(me, segment)
	case s.Kind == ReduceScatter:
		return directReduce(o, me, segment, 0)
	case s.Kind == AllGather && a == Ring:
		return ringGather(me, segment)
	case s.Kind == AllGather:
		return directBroadcast(me, segment)
	case s.Kind == Reduce && a == Tree:
		return treeReduce(me, root)
	case s.Kind == Reduce:
		return directReduce(o, me, root, root)
	case s.Kind == Broadcast && a == Tree:
		return treeBroadcast(me, root)
	case s.Kind == Broadcast:
		return directBroadcast(me, root)
	case s.Kind == Barrier:
		return nil
	}
	switch a {
	case Ring:
		return append(ringReduce(me, segment), ringGather(me, segment)...)
	case Pairwise:
		return append(directReduce(o, me, segment, 0), directBroadcast(me, segment)...)
	case Halving:
		return halving(me, segment)
	case Tree:
		return append(treeReduce(me, 0), treeBroadcast(me, 0)...)
	}
	return direct(o, me)
}

// supply returns the plan of a call whose result one member sends to those that lack it.
func supply(me position, from int, lacks []bool) (plan []step) {
	if lacks[me.at] {
		return []step{{store, from}}
	}
	for i, l := range lacks {
		if l && me.at == from {
			plan = append(plan, step{send, i})
		}
	}
	return plan
}

// confirm is a plan for dissemination: after round k each rank knows about the 2^k ranks before it.
func confirm(me position) (plan []step) {
	for d := 1; d < me.of; d *= 2 {
		plan = append(plan, step{send, me.to(d)}, step{note, me.to(-d)})
	}
	return plan
}
