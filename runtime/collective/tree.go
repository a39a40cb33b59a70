package collective

import "math/bits"

// In the binomial tree, with ranks counted from the root, the parent of a rank is the rank without its highest bit,
// and its children have one more bit above that.

// treeReduce is a plan that sums up the tree. A rank adds its children, the one with the highest bit first.
func treeReduce(me position, root int) (plan []step) {
	r := me.to(-root)
	for bit := powerBelow(me.of); bit > r; bit /= 2 {
		if r+bit < me.of {
			plan = append(plan, step{add, (r + bit + root) % me.of})
		}
	}
	if r != 0 {
		return append(plan, step{send, (r - powerBelow(r) + root) % me.of})
	}
	return append(plan, step{finish, 0})
}

// treeBroadcast is a plan that sends a value down the tree, the opposite way.
func treeBroadcast(me position, root int) (plan []step) {
	r := me.to(-root)
	if r != 0 {
		plan = append(plan, step{store, (r - powerBelow(r) + root) % me.of})
	}
	for bit := 1 << bits.Len(uint(r)); r+bit < me.of; bit *= 2 {
		plan = append(plan, step{send, (r + bit + root) % me.of})
	}
	return plan
}
