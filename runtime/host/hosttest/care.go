package hosttest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// renamed is a program with another fingerprint and the same edges.
func renamed(p peer.Program, fingerprint string) peer.Program {
	create := p.Partition
	p.Fingerprint = []byte(fingerprint)
	p.Partition = func(e runtime.Env) (*runtime.Partition, error) {
		q, err := create(e)
		if err == nil {
			q.Fingerprint = p.Fingerprint
		}
		return q, err
	}
	return p
}

// Peers of two versions of a program work together if both accept the other's fingerprint.
func testAccept(t *testing.T, k *kit) {
	oldKey, server := member(t, "server", 0)
	newKey, client := member(t, "client", 0)
	before, after := handmade.Client(nil).Fingerprint, "the next version"
	s := start(t, k.server(1, 1, []float64{8, -3}), "-key", oldKey, "-peers", peersFile(t, client), "-listen", k.listen, "-accept", fmt.Sprintf("%x", after))
	server.Addresses = s.addresses()
	next := renamed(k.client(0), after)
	strict := start(t, next, "-key", newKey, "-peers", peersFile(t, server))
	strict.awaitKind("peer down")
	strict.stop()
	<-strict.ended
	strict.ended <- 0
	start(t, next, "-key", newKey, "-peers", peersFile(t, server), "-accept", fmt.Sprintf("%x", before))
	s.await("the round", func(l peer.Line) bool { return l.Kind == "emitted" })
}

// The doctor reports problems with advice; it does not disturb the running peer with the same key.
func testDoctor(t *testing.T, k *kit) {
	key, client := member(t, "client", 0)
	strangerKey, _ := member(t, "client", 1)
	serverKey, server := member(t, "server", 0)
	s := start(t, k.server(1000000, 1, []float64{8, -3}), "-key", serverKey, "-peers", peersFile(t, client), "-listen", k.listen)
	server.Addresses = s.addresses()
	peers := peersFile(t, server)
	patient := start(t, k.client(0), "-key", key, "-peers", peers)
	s.await("a round", func(l peer.Line) bool { return l.Kind == "emitted" })

	nobody := server
	_, other := member(t, "server", 0)
	nobody.ID, nobody.Addresses = other.ID, nil
	for _, a := range server.Addresses {
		nobody.Addresses = append(nobody.Addresses, a[:strings.Index(string(a), "/p2p/")])
	}
	for _, tt := range []struct {
		name string
		p    peer.Program
		args []string
		code int
		want string
	}{
		{"well", k.client(0), []string{"-key", key, "-peers", peers}, 0, "lets this peer in"},
		{"clock", k.client(0), []string{"-key", key, "-peers", peers}, 0, "the clock of server-0 is this one's"},
		{"unknown", k.client(1), []string{"-key", strangerKey, "-peers", peers}, 1, "invite -state DIR -class client"},
		{"program", renamed(k.client(0), "another"), []string{"-key", key, "-peers", peers}, 1, "-accept"},
		{"class", k.program(handmade.Pong(), nil), []string{"-key", key, "-peers", peers}, 1, "problems"},
		{"wrong key", k.client(0), []string{"-key", key, "-peers", peersFile(t, nobody)}, 1, "another peer has that address"},
		{"alone", k.client(0), []string{"-key", key}, 1, "no other peer is known"},
	} {
		var out, errs strings.Builder
		code := peer.Do(t.Context(), tt.p, append([]string{"doctor"}, tt.args...), &out, &errs)
		if all := out.String() + errs.String(); code != tt.code || !strings.Contains(all, tt.want) {
			t.Errorf("%s: exit code %d, want %d and %q:\n%s", tt.name, code, tt.code, tt.want, all)
		}
	}
	at := s.await("a round", func(l peer.Line) bool { return l.Kind == "emitted" }).Round
	s.await("a later round", func(l peer.Line) bool { return l.Kind == "emitted" && l.Round > at+100 })
	for _, n := range []*node{s, patient} {
		n.mu.Lock()
		for _, l := range n.lines {
			if l.Kind == "peer down" && !strings.Contains(l.Error, peer.ErrNoAddress.Error()) {
				t.Errorf("the doctor disturbs %s: %s", l.Peer, l.Error)
			}
		}
		n.mu.Unlock()
	}
}
