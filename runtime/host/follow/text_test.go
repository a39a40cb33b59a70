package follow_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/follow"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestText: the text of an error leaves out what its line has, and names peers.
func TestText(t *testing.T) {
	peer := mem.PeerID(3)
	full := errors.New("disk is full")
	block := func(err error) error {
		return &runtime.BlockError{Module: "client", Block: "call", Exec: wire.ExecID{Origin: peer, Number: 2}, Peer: peer, Err: err}
	}
	cut := func(k runtime.CutKind, err error) error {
		return &runtime.CutError{Module: "client", Cut: "loss", Kind: k, Err: err}
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{full, "disk is full"},
		{block(full), "disk is full"},
		{block(cut(runtime.FillCut, full)), "fill loss of client: disk is full"},
		{fmt.Errorf("peer %v: %v/1/2 is over; 12D3KooWhat", peer, peer), "peer client-3: client-3/1/2 is over; 12D3KooWhat"},
	} {
		got := follow.Text(c.err, func(id wire.PeerID) string {
			if id != peer {
				t.Errorf("%v is not the peer", id)
			}
			return "client-3"
		})
		if got != c.want {
			t.Errorf("%v: got %q, want %q", c.err, got, c.want)
		}
	}
}
