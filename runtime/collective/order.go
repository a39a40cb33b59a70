package collective

import "math/bits"

// order is the order in which the values of all ranks are added. It follows from the spec, the size of the values and
// the number of ranks, and each order can be computed by several algorithms: so the bits of a sum do not depend on
// which of them is chosen.
type order uint8

const (
	// halved: ranks whose numbers differ in one bit are added, the highest bit first. Before that, each rank beyond the
	// largest power of two, q, is added to the rank whose number is q less. Ranks are counted from the root.
	halved order = iota

	// around: the ring, from the rank after the owner of a segment to the owner.
	around

	// inTurn: the ranks by number. Only one partial sum is needed at a time, which is wider than the values.
	inTurn
)

// aroundLeast is the size in bytes from which on values are added [around] if the number of ranks is no power of two:
// [Halving] then sends up to twice as much as a ring.
const aroundLeast = 1 << 20

// On aroundRanks ranks or more, segments of aroundSegment bytes or more are added [around] as well: of eight processes on
// one machine, a ring takes less time than halving (docs/findings.md). A rank of a ring has one segment on its way where
// halving has half of the value, which is more than caches hold.
const (
	aroundRanks   = 8
	aroundSegment = 1 << 20
)

// order returns the order of a call that sends n bytes of each value on p ranks.
func (s *Spec) order(n, p int) order {
	isPower := p&(p-1) == 0
	switch {
	case s.widens():
		return inTurn
	case s.Kind == ReduceScatter || s.Kind == AllReduce && s.Algorithm == Ring:
		return around
	case s.Kind == AllReduce && s.Algorithm == Auto && n >= aroundLeast && (!isPower || p >= aroundRanks && n/p >= aroundSegment):
		return around
	}
	return halved
}

// isComputedBy reports whether an algorithm adds in an order.
func (o order) isComputedBy(a Algorithm) bool {
	switch o {
	case halved:
		return a != Ring
	case around:
		return a == Ring || a == Pairwise
	}
	return a == Direct || a == Pairwise
}

// powerBelow returns the largest power of two that is not larger than n.
func powerBelow(n int) int { return 1 << (bits.Len(uint(n)) - 1) }

// addAll is a plan that adds the values of all members at one of them, which owns the segment.
func (o order) addAll(me position, root int) []step {
	switch o {
	case halved:
		h := halves{me: me, root: root, power: powerBelow(me.of)}
		h.sum(0, 1)
		return append(h.plan, step{finish, 0})
	case around:
		return addFrom(me, me.at+1)
	}
	return addFrom(me, 0)
}

// addFrom adds the values of all members one after the other.
func addFrom(me position, first int) (plan []step) {
	for d := range me.of {
		r := (first + d) % me.of
		if d == 0 {
			plan = append(plan, begin(me, r))
		} else {
			plan = append(plan, plus(me, r))
		}
	}
	return append(plan, step{finish, 0})
}

// begin returns the step that begins a sum with a member's value.
func begin(me position, r int) step {
	if r == me.at {
		return step{own, 0}
	}
	return step{take, r}
}

// plus returns the step that adds a member's value.
func plus(me position, r int) step {
	if r == me.at {
		return step{addOwn, 0}
	}
	return step{add, r}
}

// halves makes a plan that adds in the order halved at one place.
type halves struct {
	me          position
	root, power int
	plan        []step
}

// sum begins a sum of the ranks whose numbers have the lower bits of r, below bit. The operands of an addition may be
// swapped, so a value alone is added to the other operand, without being copied first.
func (h *halves) sum(r, bit int) {
	other := r + bit
	oneAlone, otherAlone := h.isAlone(r, 2*bit), h.isAlone(other, 2*bit)
	isMine := h.at(r) == h.me.at
	switch {
	case h.isAlone(r, bit):
		h.plan = append(h.plan, begin(h.me, h.at(r)))
	case other >= h.me.of:
		h.sum(r, 2*bit)
	case len(h.plan) == 0 && oneAlone && otherAlone && (isMine || h.at(other) == h.me.at):
		h.plan = append(h.plan, step{add, h.at(r) + h.at(other) - h.me.at}) // to this rank's contribution
	case otherAlone && !(oneAlone && isMine):
		h.sum(r, 2*bit)
		h.plan = append(h.plan, plus(h.me, h.at(other)))
	case oneAlone:
		h.sum(other, 2*bit)
		h.plan = append(h.plan, plus(h.me, h.at(r)))
	default:
		h.sum(r, 2*bit)
		h.sum(other, 2*bit)
		h.plan = append(h.plan, step{fold, 0})
	}
}

// isAlone reports whether no other rank has the lower bits of r.
func (h *halves) isAlone(r, bit int) bool { return bit > h.power || r+bit >= h.me.of && bit == h.power }

// at returns the position of a rank that is counted from the root.
func (h *halves) at(r int) int { return (r + h.root) % h.me.of }
