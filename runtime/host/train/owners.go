package train

import (
	"cmp"
	"slices"
)

// piece is a range of elements of a weight whose optimizer's state has the same owners.
type piece struct {
	weight, from, to int
	owners           []int // the ranks that keep the state and update the elements; the first member among them sends these
}

// ownersOf divides the elements of all weights among the members, so that each has equally many: the pieces of a weight
// ascend, and cover it. A weight that is not divisible is one piece: the largest of these are assigned first, each to
// the member that has the least so far; the others are divided so that they fill up what is left. Replicas of a
// member's pieces are on the members after that one.
func ownersOf(sizes []int, divisible []bool, members []int, replicas int) []piece {
	owners := make([][]int, len(members)) // by the position of the first one
	for i := range owners {
		for k := range min(replicas+1, len(members)) {
			owners[i] = append(owners[i], members[(i+k)%len(members)])
		}
	}
	load := make([]int, len(members))
	var pieces []piece
	rest := 0
	for _, i := range bySize(sizes) {
		if divisible[i] && sizes[i] > 0 {
			rest += sizes[i]
			continue
		}
		least := slices.Index(load, slices.Min(load))
		load[least] += sizes[i]
		pieces = append(pieces, piece{i, 0, sizes[i], owners[least]})
	}
	room, at := filling(load, rest), 0
	for i, n := range sizes {
		for from := 0; divisible[i] && from < n; {
			for room[at] == 0 {
				at++
			}
			to := min(n, from+room[at])
			room[at] -= to - from
			pieces = append(pieces, piece{i, from, to, owners[at]})
			from = to
		}
	}
	slices.SortFunc(pieces, func(a, b piece) int { return cmp.Or(a.weight-b.weight, a.from-b.from) })
	return pieces
}

// bySize returns the indices of sizes, the largest first.
func bySize(sizes []int) []int {
	order := make([]int, len(sizes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
	return order
}

// filling divides n elements so that the sums with some loads are as equal as possible: they differ by one at most
// where there is anything to add.
func filling(load []int, n int) (room []int) {
	room = make([]int, len(load))
	least := bySize(load)
	slices.Reverse(least)
	for k := range least { // the k+1 least loads are raised to the level of the next one
		step := n
		if k+1 < len(least) {
			step = min(n, (k+1)*(load[least[k+1]]-load[least[k]]))
		}
		for j, i := range least[:k+1] {
			room[i] += step*(j+1)/(k+1) - step*j/(k+1)
		}
		n -= step
	}
	return room
}

// cut cuts two divisions of the same weights at the bounds of both: the results have the same ranges, each with its
// own owners.
func cut(a, b []piece) (inA, inB []piece) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		x, y := a[i], b[j]
		from, to := max(x.from, y.from), min(x.to, y.to)
		inA, inB = append(inA, piece{x.weight, from, to, x.owners}), append(inB, piece{y.weight, from, to, y.owners})
		if to == x.to {
			i++
		}
		if to == y.to {
			j++
		}
	}
	return inA, inB
}
