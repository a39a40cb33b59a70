package peer

import "github.com/bbgen/bbgen/ir/op"

// The methods of a peer selector. The attribute "class" says which peers it
// chooses from.
var (
	// SelectorSelect chooses n peers as the attribute "kind" says: random, or all.
	SelectorSelect = call("peer_selector", "Select",
		[]op.Port{after}, []op.Port{{Name: "peers"}},
		gives(a(Peers)), op.Attr{Name: "class", Kind: op.String}, op.Attr{Name: "kind", Kind: op.String, Arg: true}, op.Attr{Name: "n", Kind: op.Int, Arg: true}).Op

	// SelectorSelectNear chooses the n peers that are nearest to a key.
	SelectorSelectNear = call("peer_selector", "SelectNear",
		[]op.Port{{Name: "key", Types: aTensor}}, []op.Port{{Name: "peers"}},
		gives(a(Peers)), op.Attr{Name: "class", Kind: op.String}, op.Attr{Name: "n", Kind: op.Int, Arg: true}).Op

	// SelectorSample draws n peers at random.
	SelectorSample = call("peer_selector", "Sample",
		[]op.Port{after}, []op.Port{{Name: "peers"}},
		gives(a(Peers)), op.Attr{Name: "class", Kind: op.String}, op.Attr{Name: "n", Kind: op.Int, Arg: true}).Op

	// SelectorCurrentView is all that the selector knows.
	SelectorCurrentView = call("peer_selector", "CurrentView",
		[]op.Port{after}, []op.Port{{Name: "peers"}},
		gives(a(Peers)), op.Attr{Name: "class", Kind: op.String}).Op
)
