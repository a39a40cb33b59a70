package secagg

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/bbgen/bbgen/runtime/wire"
)

// mostNeighbors is how many shares there can be of a secret.
const mostNeighbors = 254

// degree is how many neighbors each of n peers has: all others of few, and of many eight
// times the logarithm.
func degree(n int) int {
	k := 8 * bits.Len(uint(max(n-1, 0)))
	if k >= n-1 {
		k = n - 1
	}
	return max(min(k, mostNeighbors), 0)
}

// neighbors are those of a peer of a list, in the order of the list. Peers stand on a
// circle, in an order that nobody knows before all have made their keys, and each has
// those next to it on both sides.
func neighbors(list []message, self wire.PeerID) []wire.PeerID {
	n := len(list)
	k := degree(n)
	if k == n-1 {
		var all []wire.PeerID
		for _, l := range list {
			if l.peer != self {
				all = append(all, l.peer)
			}
		}
		return all
	}
	circle := circleOf(list)
	at := slices.Index(circle, self)
	var near []wire.PeerID
	for d := 1; d <= k/2; d++ {
		near = append(near, circle[(at+d)%n], circle[(at-d+n)%n])
	}
	slices.SortFunc(near, wire.PeerID.Compare)
	return near
}

// circleOf orders peers by hashes of all that they have said.
func circleOf(list []message) []wire.PeerID {
	all := hash(appendMessages(nil, list))
	type place struct {
		peer wire.PeerID
		at   [32]byte
	}
	places := make([]place, len(list))
	for i, l := range list {
		key := l.peer.Key()
		places[i] = place{l.peer, hash(all[:], key[:])}
	}
	slices.SortFunc(places, func(a, b place) int { return bytes.Compare(a.at[:], b.at[:]) })
	circle := make([]wire.PeerID, len(list))
	for i, p := range places {
		circle[i] = p.peer
	}
	return circle
}

// threshold is how many of k are more than two thirds.
func threshold(k int) int { return 2*k/3 + 1 }
