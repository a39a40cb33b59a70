package values

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// SetPeer sets x to a peer that the host names in the form of [PeerNames].
func SetPeer(x *wire.PeerID, v tensor.Value) error {
	var list []wire.PeerID
	if err := SetPeers(&list, v); err != nil {
		return err
	}
	if len(list) != 1 {
		return fmt.Errorf("got %d peers, want 1", len(list))
	}
	*x = list[0]
	return nil
}

// SetPeers sets x to peers that the host names in the form of [PeerNames], without duplicates.
func SetPeers(x *[]wire.PeerID, v tensor.Value) error {
	t, ok := v.(*tensor.Tensor)
	if !ok || t.DType != tensor.String {
		return fmt.Errorf("got %s, want the names of peers", describe(v))
	}
	list := make([]wire.PeerID, 0, t.Len())
	for _, name := range tensor.Data[string](t) {
		id, err := wire.ParsePeerID(name)
		if err != nil {
			return err
		}
		if slices.Contains(list, id) {
			return fmt.Errorf("peer %s is named twice", name)
		}
		list = append(list, id)
	}
	*x = append((*x)[:0], list...)
	return nil
}
