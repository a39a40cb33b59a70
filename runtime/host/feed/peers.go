package feed

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// At is before the names of peers, which an input may have in place of a file: NAME=@client-0,client-2.
const At = "@"

// peers returns the admitted peers of a list of names, each a class and a rank, in the form that inputs of peers have.
func peers(n *runtime.Node, names string) (tensor.Value, error) {
	var list []wire.PeerID
	for name := range strings.SplitSeq(names, ",") {
		id, err := peerOf(n, name)
		if err != nil {
			return nil, err
		}
		list = append(list, id)
	}
	return values.PeerNames(list...), nil
}

func peerOf(n *runtime.Node, name string) (wire.PeerID, error) {
	i := strings.LastIndexByte(name, '-')
	rank, err := strconv.Atoi(name[i+1:])
	if i <= 0 || err != nil {
		return wire.PeerID{}, fmt.Errorf("%q is no name of a peer, want CLASS-RANK, as in client-0", name)
	}
	for _, id := range n.Peers(nil, name[:i]) {
		if _, r, ok := n.ClassOf(id); ok && r == rank {
			return id, nil
		}
	}
	return wire.PeerID{}, fmt.Errorf("no peer %s is admitted here", name)
}
