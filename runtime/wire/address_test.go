package wire

import (
	"errors"
	"strings"
	"testing"
)

// TestAddressRefused checks that malformed addresses are refused.
func TestAddressRefused(t *testing.T) {
	lim := Default()
	for _, text := range []string{"", "/", "ip4/1.2.3.4", "/ip4/1.2.3.4 ", "/ip4\n/1", "/ip4/\x7f", "/ip4/é", "/a\x00b"} {
		if a, err := ParseAddress(text, &lim); !errors.Is(err, ErrMalformed) {
			t.Errorf("%q is %q, %v", text, a, err)
		}
	}
}

// An address is accepted unchanged, or not at all, and fits into an envelope.
func FuzzAddress(f *testing.F) {
	f.Add("/ip4/192.0.2.1/tcp/4001/p2p/12D3KooWBtg3aaRMjxwedh83aGiUkwSxDwUZkzuJcfaqUmo7R3pq")
	f.Add("/dns/example.com/udp/1/quic-v1/p2p/x/p2p-circuit/p2p/y")
	f.Add("/p2p/")
	lim := Edge()
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAddress(text, &lim)
		again, err2 := ParseAddress([]byte(text), &lim)
		if a != again || (err == nil) != (err2 == nil) {
			t.Fatalf("as bytes %q is %q, %v; as text %q, %v", text, again, err2, a, err)
		}
		if err != nil {
			return
		}
		if string(a) != text || len(a) > lim.Address {
			t.Fatalf("%q is %q", text, a)
		}
		if id, ok := a.Peer(); ok && !strings.Contains(text, "/p2p/"+id.String()) {
			t.Fatalf("%q names %v", text, id)
		}
		e, got := Envelope{Dest: []Address{a}}, Envelope{}
		if err := ConsumeEnvelope(&got, AppendEnvelope(nil, &e), &lim); err != nil || got.Dest[0] != a {
			t.Fatalf("%q comes back as %v, %v", text, got.Dest, err)
		}
	})
}
