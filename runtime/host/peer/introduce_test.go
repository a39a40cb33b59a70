package peer

import (
	"errors"
	"io"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// An introduction is accepted from the issuer of an invitation, for a peer that is not configured in another
// way. The introduced peer is recorded.
func TestIntroduced(t *testing.T) {
	state := t.TempDir()
	o := Options{State: state, Peers: []trust.Member{{ID: testID(1), Class: "x"}, {ID: testID(2), Class: "x", Rank: 1, Issuer: true}}}
	h, err := newTestHost(t, o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	h.program.Classes = []string{"x"}
	h.cancel() // no goroutine runs the loop, so nothing waits for it
	const at = wire.Address("/ip4/192.0.2.1/tcp/1")
	tell := func(from byte, x wire.Introduction) error {
		return h.Introduced(testID(from), wire.AppendIntroduction(nil, &x))
	}
	for _, tt := range []struct {
		name string
		from byte
		x    wire.Introduction
		want error // nil: it has no effect
	}{
		{"by a peer that did not invite", 1, wire.Introduction{Peer: testID(3), Class: "x"}, errNoIssuer},
		{"of a peer that is configured", 2, wire.Introduction{Peer: testID(1), Class: "x", Rank: 7}, nil},
		{"of this peer", 2, wire.Introduction{Peer: h.config.Self, Class: "x", Rank: 7}, nil},
		{"by the issuer", 2, wire.Introduction{Peer: testID(4), Class: "x", Rank: 2, Addresses: []wire.Address{at}}, ErrClosed},
		{"again, as the issuer has not heard of it", 2, wire.Introduction{Peer: testID(4), Class: "x", Rank: 2}, ErrClosed},
	} {
		if err := tell(tt.from, tt.x); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
	}
	for _, x := range []wire.Introduction{{Peer: testID(5), Class: "y"}, {Peer: testID(5)}} {
		if err := tell(2, x); err == nil || errors.Is(err, ErrClosed) {
			t.Errorf("%+v: got %v", x, err)
		}
	}
	limits := limits.Default()
	again, err := trust.NewMembers(h.config.Self, nil, h.disk, state, &limits.Wire)
	if err != nil {
		t.Fatal(err)
	}
	if kept := again.List(); len(kept) != 1 || kept[0].ID != testID(4) || kept[0].Rank != 2 || len(kept[0].Addresses) != 1 || kept[0].By != testID(2) {
		t.Errorf("it keeps %+v", kept)
	}
}

// A peer introduces itself once on a connection.
func TestIntroducedTwice(t *testing.T) {
	h, err := newTestHost(t, Options{Peers: []trust.Member{{ID: testID(1), Class: "x"}}}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	l := h.links[testID(1)]
	if err := h.introduceAll(l, &wire.Introduction{}); err != nil {
		t.Error(err)
	}
	if err := h.introduceAll(l, &wire.Introduction{}); !errors.Is(err, ErrFlood) {
		t.Errorf("got %v, want %v", err, ErrFlood)
	}
}
