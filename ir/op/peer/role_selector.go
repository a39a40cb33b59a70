package peer

import "github.com/bbgen/bbgen/ir/op"

// The methods of a peer selector. The attribute "class" is the class of the peers.
var (
	// SelectorSelect returns n peers according to the attribute "kind": random, or all.
	SelectorSelect = call("peer_selector", "Select",
		[]op.Port{after}, []op.Port{{Name: "peers"}},
		gives(a(Peers)), op.Attr{Name: "class", Kind: op.String}, op.Attr{Name: "kind", Kind: op.String, Arg: true}, op.Attr{Name: "n", Kind: op.Int, Arg: true}).Op

	// SelectorSelectNear returns the n peers that are nearest to a key.
	SelectorSelectNear = call("peer_selector", "SelectNear",
		[]op.Port{{Name: "key", Types: aTensor}}, []op.Port{{Name: "peers"}},
		gives(a(Peers)), op.Attr{Name: "class", Kind: op.String}, op.Attr{Name: "n", Kind: op.Int, Arg: true}).Op

	// SelectorSample returns n random peers.
	SelectorSample = call("peer_selector", "Sample",
		[]op.Port{after}, []op.Port{{Name: "peers"}},
		gives(a(Peers)), op.Attr{Name: "class", Kind: op.String}, op.Attr{Name: "n", Kind: op.Int, Arg: true}).Op

	// SelectorCurrentView returns all peers that the selector knows.
	SelectorCurrentView = call("peer_selector", "CurrentView",
		[]op.Port{after}, []op.Port{{Name: "peers"}},
		gives(a(Peers)), op.Attr{Name: "class", Kind: op.String}).Op

	// SelectorCall calls another method of a selector, such as one that takes the answers of peers.
	SelectorCall = ownCall("peer_selector").Op
)
