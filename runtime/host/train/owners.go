package train

import (
	"cmp"
	"slices"
)

// ownersOf divides weights of given sizes among the members: it returns the ranks that keep the optimizer's state of
// each. The largest weights are assigned first, each to the member that has the least so far. Replicas are with the
// members after that one.
func ownersOf(sizes, members []int, replicas int) [][]int {
	order := make([]int, len(sizes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
	load := make([]int, len(members))
	owners := make([][]int, len(sizes))
	for _, i := range order {
		first := slices.Index(load, slices.Min(load))
		load[first] += sizes[i]
		for k := range min(replicas+1, len(members)) {
			owners[i] = append(owners[i], members[(first+k)%len(members)])
		}
	}
	return owners
}
