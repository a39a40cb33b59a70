package collective

// ringReduce is a plan that sums a segment around the ring, from the rank after its owner to the owner.
func ringReduce(me position, owner int) (plan []step) {
	d := me.to(-owner - 1) // the number of ranks before this one
	if d > 0 {
		plan = append(plan, step{add, me.to(-1)})
	}
	if d < me.of-1 {
		return append(plan, step{send, me.to(1)})
	}
	return append(plan, step{finish, 0})
}

// ringGather is a plan that sends a segment from its owner around the ring.
func ringGather(me position, owner int) (plan []step) {
	if me.at != owner {
		plan = append(plan, step{store, me.to(-1)})
	}
	if me.of > 1 && me.to(1) != owner {
		plan = append(plan, step{send, me.to(1)})
	}
	return plan
}
