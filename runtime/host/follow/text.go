package follow

import (
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Text returns the text of an event's error, for a line that also has the event's peers, execution and block. It leaves
// these out, and has the names of peers in place of their ids.
func Text(err error, nameOf func(wire.PeerID) string) string {
	if b, ok := err.(*runtime.BlockError); ok {
		err = b.Err
	}
	var out strings.Builder
	rest := err.Error()
	for {
		before, after, found := strings.Cut(rest, idPrefix)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		end := len(after) - len(strings.TrimLeft(after, base58))
		text := idPrefix + after[:end]
		if id, err := wire.ParsePeerID(text); err == nil {
			text = nameOf(id)
		}
		out.WriteString(text)
		rest = after[end:]
	}
}

// The ids of Ed25519 keys begin with idPrefix, and consist of these characters.
const (
	idPrefix = "12D3KooW"
	base58   = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
)
