package collective

// inOrder is a plan that sums the values of all members in the order of ranks.
func inOrder(me position) (plan []step) {
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

// toAll is a plan that sends to all others, beginning with the next one, so that not all ranks begin with the
// same receiver.
func toAll(me position) (plan []step) {
	for d := 1; d < me.of; d++ {
		plan = append(plan, step{send, me.to(d)})
	}
	return plan
}

// direct is a plan in which all send to all.
func direct(me position) []step { return append(toAll(me), inOrder(me)...) }

// directReduce is a plan in which all send to the owner, which sums.
func directReduce(me position, owner int) []step {
	if me.at == owner {
		return inOrder(me)
	}
	return []step{{send, owner}}
}

// directBroadcast is a plan in which the owner sends to all.
func directBroadcast(me position, owner int) []step {
	if me.at == owner {
		return toAll(me)
	}
	return []step{{store, owner}}
}
