package registry

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

func id(i byte) wire.PeerID {
	p, err := wire.PeerIDOf(bytes.Repeat([]byte{i + 1}, 32))
	if err != nil {
		panic(err)
	}
	return p
}

// node returns a peer of a class that has admitted others: the class of each is a letter, its rank the index of
// the letter.
func node(t *testing.T, class string, self byte, admitted string) *runtime.Node {
	t.Helper()
	c := runtime.Config{Self: id(self), Incarnation: 1}
	for i, class := range admitted {
		c.Peers = append(c.Peers, runtime.PeerConfig{ID: id(byte(i)), Class: string(class), Rank: i})
	}
	n, err := runtime.New(c, &runtime.Partition{Class: class})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Peer 0 is the registry; 1, 2 and 3 are workers, 4 is a boss.
const everybody = "rwwwb"

// announce makes a client announce itself to the server, and handle the answer.
func announce(s *Server, at *runtime.Node, c *Client, n *runtime.Node) error {
	_, hello, err := c.Tick(n)
	if err != nil {
		return err
	}
	_, answer, err := s.Receive(at, n.Self(), hello)
	if err != nil {
		return err
	}
	return c.Answered(n, at.Self(), answer)
}

func TestRegistry(t *testing.T) {
	at := node(t, "r", 0, everybody)
	s := &Server{}
	var clients []*Client
	var nodes []*runtime.Node
	for i := byte(1); i <= 3; i++ {
		n := node(t, "w", i, "r") // knows only the registry
		c := &Client{Registry: "r", Wants: []string{"w"}, TTL: 60, Admits: true, Addresses: []string{"/ip4/192.0.2.1/tcp/" + strings.Repeat("7", int(i))}}
		clients, nodes = append(clients, c), append(nodes, n)
		if err := announce(s, at, c, n); err != nil {
			t.Fatal(err)
		}
	}
	view := View{"w", clients[2]}
	see := func() []wire.PeerID {
		list, err := view.CurrentView(nodes[2])
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if got := see(); !slices.Equal(got, []wire.PeerID{id(1), id(2)}) {
		t.Errorf("worker 3 sees %v, want 1 and 2", got)
	}
	if got := nodes[2].Address(id(2)); len(got) != 1 || got[0] != "/ip4/192.0.2.1/tcp/77" {
		t.Errorf("worker 2 is said to be at %v", got)
	}
	if got, _ := view.Sample(nodes[2], 1); len(got) != 1 {
		t.Errorf("drew %v, want one", got)
	}

	// Worker 1 repeats its announcement, worker 2 does not.
	for range 2 {
		for _, n := range append(nodes, at) {
			n.Tick(n.Now() + int64(40*time.Second))
		}
		for _, i := range []int{0, 2} {
			if err := announce(s, at, clients[i], nodes[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := see(); !slices.Equal(got, []wire.PeerID{id(1)}) {
		t.Errorf("80 seconds later worker 3 sees %v, want 1", got)
	}
}

// TestSnapshot keeps the remaining time.
func TestSnapshot(t *testing.T) {
	at := node(t, "r", 0, everybody)
	s := &Server{}
	c := &Client{Registry: "r", TTL: 60}
	at.Tick(int64(time.Hour))
	if err := announce(s, at, c, node(t, "w", 1, everybody)); err != nil {
		t.Fatal(err)
	}
	b, _ := s.AppendBinary(nil)
	var restored Server
	if err := restored.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	restored.expire(int64(59 * time.Second)) // of the new incarnation
	if !restored.has(id(1)) {
		t.Error("a second before its time worker 1 is gone")
	}
	restored.expire(int64(60 * time.Second))
	if restored.has(id(1)) {
		t.Error("worker 1 is there after its time")
	}
	for i := range b {
		if restored.UnmarshalBinary(b[:i]) == nil {
			t.Errorf("%d of %d bytes are a state", i, len(b))
		}
	}
}

func TestBounds(t *testing.T) {
	at := node(t, "r", 0, everybody)
	s := &Server{Most: 2}
	var err error
	for i := byte(1); i <= 3; i++ {
		err = announce(s, at, &Client{Registry: "r"}, node(t, "w", i, everybody))
	}
	if err == nil || len(s.list) != 2 {
		t.Errorf("a registry of 2 has %d peers: %v", len(s.list), err)
	}
	h := hello{wants: []string{"w"}}
	for range 40 {
		h.wants = append(h.wants, strings.Repeat("w", 100))
	}
	if err := (&hello{}).parse(h.append(nil)); err == nil {
		t.Error("a message with 41 classes is read")
	}
	if _, _, err := s.Receive(at, id(1), tensor.DenseOf([]byte{1, 255, 255, 255, 255, 15}, 6)); err == nil {
		t.Error("a message of a great many classes is read")
	}
}

// TestPoison makes peers send statements about others.
func TestPoison(t *testing.T) {
	at := node(t, "r", 0, everybody)
	n := node(t, "w", 1, everybody)
	tell := func(list ...found) tensor.Dense[uint8] {
		b := []byte{byte(len(list))}
		for i := range list {
			b = list[i].append(b)
		}
		return tensor.DenseOf(b, len(b))
	}
	here := func(p byte) []wire.Address {
		return []wire.Address{wire.Address("/ip4/192.0.2.9/tcp/1/p2p/" + id(p).String())}
	}
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"a worker's word of another", (&Client{Registry: "r", Wants: []string{"w"}}).Answered(n, id(2), tell(found{id: id(3), class: "w", ttl: 1e9})), "it is no registry"},
		{"another class than was admitted", (&Client{Registry: "r", Wants: []string{"b"}}).Answered(n, id(0), tell(found{id: id(3), class: "b", ttl: 1e9})), "was admitted as"},
		{"a class that was not requested", (&Client{Registry: "r", Admits: true}).Answered(n, id(0), tell(found{id: id(9), class: "b", ttl: 1e9})), "was not requested"},
		{"an address of another peer", (&Client{Registry: "r"}).Answered(n, id(0), tell(found{id: id(3), class: "w", ttl: 1e9, addresses: here(2)})), "is another peer's"},
		{"where another peer is", announce(&Server{}, at, &Client{Registry: "r", Addresses: []string{string(here(2)[0])}}, n), "is another peer's"},
		{"an address that is none", announce(&Server{}, at, &Client{Registry: "r", Addresses: []string{"\n"}}, n), "address"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, c.err, c.want)
		}
	}
	if got := append(n.Address(id(3)), at.Address(id(1))...); len(got) > 0 {
		t.Errorf("noted %v", got)
	}
	quiet := &Client{Registry: "r", Wants: []string{"w"}}
	if err := quiet.Answered(n, id(0), tell(found{id: id(9), class: "w", ttl: 1e9})); err != nil || quiet.has(id(9)) {
		t.Errorf("a peer without admission is listed (%v)", err)
	}
}

// FuzzMessages decodes arbitrary bytes, which must not cause a panic.
func FuzzMessages(f *testing.F) {
	f.Add((&hello{ttl: 9, wants: []string{"w"}, addresses: []wire.Address{"/a/b"}}).append(nil))
	f.Add((&found{id: id(1), class: "w", ttl: 5}).append([]byte{1}))
	f.Fuzz(func(t *testing.T, b []byte) {
		var h hello
		if h.parse(b) == nil {
			var again hello
			if err := again.parse(h.append(nil)); err != nil {
				t.Fatal(err)
			}
		}
		_, _ = parseAnswer(b)
		_ = new(table).UnmarshalBinary(b)
	})
}
