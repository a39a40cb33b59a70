package collective

// toAll is a plan that sends to all others, beginning with the next one, so that not all ranks begin with the
// same receiver.
func toAll(me position) (plan []step) {
	for d := 1; d < me.of; d++ {
		plan = append(plan, step{send, me.to(d)})
	}
	return plan
}

// direct is a plan in which all send to all, and each adds.
func direct(o order, me position) []step { return append(toAll(me), o.addAll(me, 0)...) }

// directReduce is a plan in which all send to the owner, which adds.
func directReduce(o order, me position, owner, root int) []step {
	if me.at == owner {
		return o.addAll(me, root)
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
