package trust

import (
	"crypto/ed25519"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Lookups work while a member is being added, however slow the disk is.
func TestMembersDoNotWaitForTheDisk(t *testing.T) {
	m := newTestMembers(t)
	inv, err := m.invite(testSelf, "client", -1, time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	d := disktest.New()
	m.disk = d
	stuck, on := make(chan bool), make(chan bool)
	d.Fault(func(op disktest.Op, _ string) error {
		if op == disktest.Sync {
			stuck <- true
			<-on
		}
		return nil
	})
	done := make(chan error)
	go func() {
		h := &wire.Hello{JoinProof: proof(inv.Secret, m.self, testID(2), "client"), Classes: []string{"client"}}
		_, err := m.Redeem(testID(2), h, time.Now())
		done <- err
	}()
	<-stuck // in the middle of a file
	asked := make(chan bool)
	go func() { asked <- m.Has(testID(2)) }()
	select {
	case in := <-asked:
		if in {
			t.Error("it is a member before it is written down")
		}
	case <-time.After(time.Minute):
		t.Error("members are not accepted while a file is written")
	}
	d.Fault(nil)
	on <- true
	if err := <-done; err != nil || !m.Has(testID(2)) {
		t.Errorf("it does not come in: %v", err)
	}
}

// A list of peers may have addresses in the forms of -listen.
func TestMemberAddresses(t *testing.T) {
	lim := limits.Default()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	for given, want := range map[wire.Address]string{"192.0.2.7:4001": "/ip4/192.0.2.7/tcp/4001", "/ip4/192.0.2.7/tcp/4001": "/ip4/192.0.2.7/tcp/4001", "192.0.2.7": "want host:port or /ip4/", "192.0.2.7:99999": "want a number from 0 to 65535", "192.0.2.7:http": `port "http"`,
		"[::1": "want an IPv6 address between [ and ]", "[::1]:1": "/ip6/::1/tcp/1", "::1]:1": "want an IPv6 address between [ and ]", "[::1:5": "want an IPv6 address between [ and ]"} {
		m := Member{ID: IDOf(key), Class: "x", Addresses: []wire.Address{given}}
		list, err := new(Members).with(nil, []Member{m}, &lim.Wire)
		got := fmt.Sprint(err)
		if err == nil {
			got = string(list[0].Addresses[0])
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", given, got, want)
		}
	}
}
