// Package peers implements the role PeerSelector for the peers that a node has admitted: all of them, random
// ones, or those nearest to a key.
package peers

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// View is the peers of a class. It has no state except that of the node; it draws from the node's random
// source, which snapshots hold.
type View struct{ Class string }

// CurrentView returns all peers of the class, by rank.
func (v *View) CurrentView(n runtime.Peer) ([]wire.PeerID, error) {
	list := n.Peers(nil, v.Class)
	return slices.DeleteFunc(list, func(p wire.PeerID) bool { return p == n.Self() }), nil
}

// Select returns k peers: kind is "random", or "all".
func (v *View) Select(n runtime.Peer, kind string, k int) ([]wire.PeerID, error) {
	list, err := v.CurrentView(n)
	if err != nil {
		return nil, err
	}
	return Select(n.Rand(), list, kind, k)
}

// Sample draws k of the peers without repetition, in the order of the draw. If there are fewer, it returns all
// of them.
func (v *View) Sample(n runtime.Peer, k int) ([]wire.PeerID, error) {
	list, err := v.CurrentView(n)
	return Draw(n.Rand(), list, k), err
}

// SelectNear returns the k peers whose keys have the smallest exclusive or with a key of the same length, the
// nearest first. A shorter key is compared with the beginning of theirs.
func (v *View) SelectNear(n runtime.Peer, key tensor.Dense[uint8], k int) ([]wire.PeerID, error) {
	list, err := v.CurrentView(n)
	return Nearest(list, key.Data, k), err
}

// Select returns k peers of a list: kind is "random", or "all".
func Select(r *rand.Rand, list []wire.PeerID, kind string, k int) ([]wire.PeerID, error) {
	switch kind {
	case "all":
		return list, nil
	case "random":
		return Draw(r, list, k), nil
	}
	return nil, fmt.Errorf("select %q peers, want random or all", kind)
}

// Draw moves k random peers of a list to its front, and returns them.
func Draw(r *rand.Rand, list []wire.PeerID, k int) []wire.PeerID {
	k = min(max(k, 0), len(list))
	for i := range k {
		j := i + r.IntN(len(list)-i)
		list[i], list[j] = list[j], list[i]
	}
	return list[:k]
}

// Nearest sorts a list by the distance of its peers from a key, as defined by [View.SelectNear], and returns
// the first k.
func Nearest(list []wire.PeerID, key []byte, k int) []wire.PeerID {
	far := func(p wire.PeerID) []byte {
		id := p.Key()
		d := id[:min(len(key), len(id))]
		for i := range d {
			d[i] ^= key[i]
		}
		return d
	}
	slices.SortStableFunc(list, func(a, b wire.PeerID) int { return cmp.Or(bytes.Compare(far(a), far(b)), a.Compare(b)) })
	return list[:min(max(k, 0), len(list))]
}
