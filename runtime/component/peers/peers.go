// Package peers is the role PeerSelector for the peers that a node has admitted:
// all of them, some at random, or those nearest to a key.
package peers

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// View is the peers of a class. It knows no more than its node does; what it
// draws comes from the node's random source, which snapshots hold.
type View struct{ Class string }

// CurrentView is all peers of the class, by rank.
func (v *View) CurrentView(n *runtime.Node) ([]wire.PeerID, error) {
	list := n.Peers(nil, v.Class)
	return slices.DeleteFunc(list, func(p wire.PeerID) bool { return p == n.Self() }), nil
}

// Select is k peers, as kind says: "random", or "all" of them.
func (v *View) Select(n *runtime.Node, kind string, k int) ([]wire.PeerID, error) {
	switch kind {
	case "all":
		return v.CurrentView(n)
	case "random":
		return v.Sample(n, k)
	}
	return nil, fmt.Errorf("select %q peers, want random or all", kind)
}

// Sample draws k of the peers, each at most once, in the order of the draw. It
// is all of them if there are fewer.
func (v *View) Sample(n *runtime.Node, k int) ([]wire.PeerID, error) {
	list, err := v.CurrentView(n)
	k = min(max(k, 0), len(list))
	for i := range k {
		j := i + n.Rand().IntN(len(list)-i)
		list[i], list[j] = list[j], list[i]
	}
	return list[:k], err
}

// SelectNear is the k peers whose keys have the smallest exclusive or with a key
// of as many bytes, the nearest first. A shorter key is compared with as much of
// theirs.
func (v *View) SelectNear(n *runtime.Node, key tensor.Dense[uint8], k int) ([]wire.PeerID, error) {
	list, err := v.CurrentView(n)
	far := func(p wire.PeerID) []byte {
		id := p.Key()
		d := id[:min(len(key.Data), len(id))]
		for i := range d {
			d[i] ^= key.Data[i]
		}
		return d
	}
	slices.SortStableFunc(list, func(a, b wire.PeerID) int { return cmp.Or(bytes.Compare(far(a), far(b)), a.Compare(b)) })
	return list[:min(max(k, 0), len(list))], err
}
