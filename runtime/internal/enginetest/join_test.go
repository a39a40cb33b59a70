package enginetest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A joined partition has everything that its parts have, and announces it.
func TestJoin(t *testing.T) {
	server, client := handmade.Server(3, 1, 0), handmade.Client(&handmade.Trainer{})
	client.Modules[0].Name = "update" // as one of the server's
	p, err := runtime.Join(server, client)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range p.Modules {
		names = append(names, m.Name)
	}
	if want := []string{"client.update", "server", "server.update"}; !slices.Equal(names, want) {
		t.Errorf("modules %v, want %v", names, want)
	}
	for i, e := range p.Edges {
		if to := map[string]string{"server.params": "client.update", "client.update": "server.update"}[e.Name]; !e.Receives || names[e.Module] != to {
			t.Errorf("edge %d, %s, goes to %s, want %s", i, e.Name, names[e.Module], to)
		}
	}
	if p.Modules[2].Parent != 1 || len(p.Components) != 2 || p.Class != "client+server" {
		t.Errorf("got %+v", p)
	}
	n, err := runtime.New(runtime.Config{Self: id(1), Incarnation: 1}, p)
	if err != nil {
		t.Fatal(err)
	}
	if got := n.Hello().Classes; !slices.Equal(got, []string{"client", "server"}) {
		t.Errorf("says hello as %v", got)
	}
}

// A peer of two classes contributes the state of the same components as a peer of one class.
func TestJoinState(t *testing.T) {
	stepper := handmade.Stepper(0, 1, 1)
	other := &runtime.Partition{Class: "other", Fingerprint: stepper.Fingerprint, Edges: slices.Clone(stepper.Edges), Components: []runtime.Component{&handmade.Trainer{}}}
	for i := range other.Edges {
		other.Edges[i].Receives = false
	}
	p, err := runtime.Join(stepper, other)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Components[p.Edges[0].Collective.State[0]]; got != stepper.Components[0] {
		t.Errorf("gives the state of %T, want %T", got, stepper.Components[0])
	}
	if got := stepper.Edges[0].Collective.State; !slices.Equal(got, []int{0}) {
		t.Errorf("the state of what was joined has changed to that of components %v", got)
	}
}

// A peer of two classes has exactly the classes that it was admitted with.
func TestJoinedHello(t *testing.T) {
	n, err := runtime.New(runtime.Config{Self: id(1), Incarnation: 1, Peers: []runtime.PeerConfig{
		{ID: id(2), Class: "client", Rank: 1}, {ID: id(3), Class: "client+server", Rank: 2}, {ID: id(4), Class: "client", Rank: 3}}}, handmade.Client(&handmade.Trainer{}))
	if err != nil {
		t.Fatal(err)
	}
	hello := n.Hello()
	for _, c := range []struct {
		peer    byte
		classes string
		err     error
	}{
		{2, "client", nil}, {2, "client server", nil}, {2, "server", runtime.ErrClass},
		{3, "client server", nil}, {3, "client", runtime.ErrClass}, {3, "server", runtime.ErrClass}, {3, "", runtime.ErrClass},
	} {
		hello.Classes = strings.Fields(c.classes)
		if err := n.Check(id(c.peer), &hello); !errors.Is(err, c.err) {
			t.Errorf("peer %d as %q: got %v, want %v", c.peer, c.classes, err, c.err)
		}
	}
	if got, want := n.Peers(nil, "client"), []wire.PeerID{id(1), id(2), id(3), id(4)}; !slices.Equal(got, want) {
		t.Errorf("clients %v, want %v", got, want)
	}
	if got, want := n.Peers(nil, "server"), []wire.PeerID{id(3)}; !slices.Equal(got, want) {
		t.Errorf("servers %v, want %v", got, want)
	}
}

// TestJoinErrors checks which partitions cannot be joined.
func TestJoinErrors(t *testing.T) {
	other := handmade.Client(&handmade.Trainer{})
	other.Fingerprint = []byte("another one")
	for want, parts := range map[string][]*runtime.Partition{
		"nothing to join":                         nil,
		"two targets of class client":             {handmade.Client(nil), handmade.Client(nil)},
		"join client and server: another program": {other, handmade.Server(1, 1, 0)},
	} {
		if _, err := runtime.Join(parts...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	make := func(env runtime.Env) (*runtime.Partition, error) { return handmade.Ping(1), nil }
	if _, err := runtime.JoinIn(runtime.Env{Class: "client"}, make, make); err == nil {
		t.Error("two targets are one class")
	}
}
