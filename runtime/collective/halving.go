package collective

// halving is a plan of recursive halving and doubling. At each level two ranks whose numbers differ in one
// bit, the highest first, exchange segments: each keeps the segments with the same bit as its own number.
// Then the sums go back the same way.
//
// A rank r beyond the largest power of two, q, sends its value to rank r-q, and receives the result from it.
func halving(me position, segment int) (plan []step) {
	power := powerBelow(me.of)
	if me.at >= power {
		return []step{{send, me.at - power}, {store, me.at - power}}
	}
	if me.at+power < me.of {
		plan = append(plan, step{add, me.at + power})
	}
	bit := power / 2
	for ; bit > 0 && me.at&bit == segment&bit; bit /= 2 {
		plan = append(plan, step{add, me.at ^ bit})
	}
	if bit > 0 {
		plan = append(plan, step{send, me.at ^ bit}, step{store, me.at ^ bit})
		bit *= 2
	} else {
		plan, bit = append(plan, step{finish, 0}), 1
	}
	for ; bit < power; bit *= 2 {
		plan = append(plan, step{send, me.at ^ bit})
	}
	if me.at+power < me.of {
		plan = append(plan, step{send, me.at + power})
	}
	return plan
}
