package secagg

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/bbgen/bbgen/runtime/wire"
)

// mostNeighbors is the maximum number of shares of a secret.
const mostNeighbors = 254

// degree returns the number of neighbors of each of n peers: all others if there are few, otherwise eight times
// the logarithm.
func degree(n int) int {
	k := 8 * bits.Len(uint(max(n-1, 0)))
	if k >= n-1 {
		k = n - 1
	}
	return max(min(k, mostNeighbors), 0)
}

// neighbors returns the neighbors of a peer, in the order of the list. Peers are arranged in a circle, in an
// order that is unknown before all have made their keys, and the neighbors are those next to the peer on both
// sides.
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

// circleOf sorts peers by hashes of all their messages.
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

// threshold returns the smallest number that is more than two thirds of k.
func threshold(k int) int { return 2*k/3 + 1 }
