package collective

// inOrder sums what all members have, in the order of ranks.
func inOrder(me seat) (plan []step) {
	for r := range me.of {
		switch {
		case r == me.at:
			plan = append(plan, step{own, 0})
		case r == 0:
			plan = append(plan, step{take, 0})
		default:
			plan = append(plan, step{add, r})
		}
	}
	return append(plan, step{finish, 0})
}

// toAll sends to all others, the next one first: so not all begin with the same.
func toAll(me seat) (plan []step) {
	for d := 1; d < me.of; d++ {
		plan = append(plan, step{send, me.to(d)})
	}
	return plan
}

// direct has all send to all.
func direct(me seat) []step { return append(toAll(me), inOrder(me)...) }

// directReduce has all send to the owner, who sums.
func directReduce(me seat, owner int) []step {
	if me.at == owner {
		return inOrder(me)
	}
	return []step{{send, owner}}
}

// directBroadcast has the owner send to all.
func directBroadcast(me seat, owner int) []step {
	if me.at == owner {
		return toAll(me)
	}
	return []step{{store, owner}}
}
