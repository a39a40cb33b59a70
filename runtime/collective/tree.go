package collective

// In the binomial tree, with ranks counted from the root, the parent of a rank is the rank without its lowest
// bit, and its children have one more bit below that.

// treeReduce is a plan that sums up the tree. A rank adds its children, the nearest first.
func treeReduce(me position, root int) (plan []step) {
	r := me.to(-root)
	bit := 1
	for ; bit < me.of && r&bit == 0; bit *= 2 {
		if r+bit < me.of {
			plan = append(plan, step{add, (r + bit + root) % me.of})
		}
	}
	if r != 0 {
		return append(plan, step{send, (r - bit + root) % me.of})
	}
	return append(plan, step{finish, 0})
}

// treeBroadcast is a plan that sends a value down the tree, to the farthest child first.
func treeBroadcast(me position, root int) (plan []step) {
	r := me.to(-root)
	low := r & -r
	if r != 0 {
		plan = append(plan, step{store, (r - low + root) % me.of})
	} else {
		for low = 1; low < me.of; low *= 2 {
		}
	}
	for bit := low / 2; bit > 0; bit /= 2 {
		if r+bit < me.of {
			plan = append(plan, step{send, (r + bit + root) % me.of})
		}
	}
	return plan
}
