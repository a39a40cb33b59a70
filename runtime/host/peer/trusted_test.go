package peer

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A peer of several classes that is trusted on first contact has all of them, as with an invitation.
func TestFirstMet(t *testing.T) {
	if m := firstMet(testID(2), []string{"server", "client"}, "/dns/a/tcp/1"); m.Class != "client+server" {
		t.Errorf("it is taken in as %s", m.Class)
	}
}

// An address whose peer was trusted by an earlier start belongs to that peer from then on: another key at that
// address is refused.
func TestPinned(t *testing.T) {
	h := &host{options: &Options{TrustFirst: true}, limits: runtime.DefaultLimits()}
	var err error
	if h.members, err = trust.NewMembers(testID(1), nil, disk.OS, "", &h.limits.Wire); err != nil {
		t.Fatal(err)
	}
	join := func(at string, strangers int) {
		t.Helper()
		if err := h.joinAddress(at); err != nil || len(h.strangers) != strangers {
			t.Errorf("%s: %v, %d addresses of strangers; want %d", at, err, len(h.strangers), strangers)
		}
	}
	join("127.0.0.1:4001", 1)
	if err := h.members.Add(firstMet(testID(2), []string{"server"}, h.strangers[0])); err != nil {
		t.Fatal(err)
	}
	join("127.0.0.1:4001", 1)
	join("127.0.0.1:4002", 2)
}

// A peer that is refused for running another program gets the whole reason; a longer reason is marked as
// truncated.
func TestRefusal(t *testing.T) {
	var h wire.Hello
	part := &runtime.Partition{Class: "x", Fingerprint: bytes.Repeat([]byte{1}, 32)}
	n, err := runtime.New(runtime.Config{Self: testID(1), Incarnation: 1, Peers: []runtime.PeerConfig{{ID: testID(2), Class: "x"}}}, part)
	if err != nil {
		t.Fatal(err)
	}
	h.Protocol, h.Fingerprint, h.Incarnation = wire.Protocol, bytes.Repeat([]byte{2}, 32), 1
	most := runtime.DefaultLimits().Wire.Name
	err = n.Check(testID(2), &h)
	if got := refusal(testID(2), err, most); !strings.HasSuffix(got, "or start the newer with -accept") || strings.Contains(got, testID(2).String()) {
		t.Errorf("it hears %q of %v", got, err)
	}
	if got := refusal(testID(2), errors.New(strings.Repeat("long ", most)), most); len(got) > most || !strings.HasSuffix(got, " …") {
		t.Errorf("it hears %q", got)
	}
}
