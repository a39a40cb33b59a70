package secagg

import (
	"bytes"
	"slices"

	"github.com/bbgen/bbgen/runtime/wire"
)

// mostNeighbors is the maximum number of shares of a secret.
const mostNeighbors = 254

// degrees are the numbers of neighbors, by the number of peers, that make it improbable that random places in the circle
// reveal something: with fewer than a third of the peers on the side of the server, and a tenth lost, the probability is
// below 2⁻⁴⁰ that
//
//   - enough neighbors of a peer are on that side to reconstruct its secrets, or
//   - as many in a row as a peer has neighbors on one side are lost or on that side, so that the others fall into two
//     parts, whose sums the server would see.
//
// With all others as neighbors, neither can happen. The test computes the probabilities.
var degrees = [...]struct{ peers, neighbors int }{
	{64, 48}, {128, 64}, {256, 84}, {512, 104}, {1024, 120}, {4096, 140}, {65536, 156}, {1 << 20, 168},
}

// degree returns the number of neighbors of each of n peers: all others if there are few.
func degree(n int) int {
	k := mostNeighbors
	for _, d := range degrees {
		if n <= d.peers {
			k = d.neighbors
			break
		}
	}
	return max(min(k, n-1), 0)
}

// allNeighbors reports whether each of n peers has all others as neighbors.
func allNeighbors(n int) bool { return degree(n) == n-1 }

// neighbors returns the neighbors of a peer, in the order of the list. Peers are arranged in a circle, in an
// order that is unknown before all have made their keys, and the neighbors are those next to the peer on both
// sides.
func neighbors(list []message, self wire.PeerID) []wire.PeerID {
	n := len(list)
	if allNeighbors(n) {
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
	for d := 1; d <= degree(n)/2; d++ {
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
