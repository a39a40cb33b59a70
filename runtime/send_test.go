package runtime

import (
	"fmt"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/internal/outbox"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Changes after Send do not affect the value that arrives, neither of a lent value's memory nor of the frame
// that keeps a value.
func TestSentIsFinal(t *testing.T) {
	for _, n := range []int{3, 60, tensor.Large/4 - 1, tensor.Large / 4, tensor.Large/4 + 5} {
		want := vectorOf(n)
		for name, send := range map[string]func(e *Engine, f *Frame, x *tensor.Dense[float32]){
			"lent": func(e *Engine, f *Frame, x *tensor.Dense[float32]) {
				e.Send(f, 0, []wire.PeerID{testPeer(2)}, tensor.Raw(x.Data))
				clear(x.Data)
			},
			"kept, and the field is set again": func(e *Engine, f *Frame, x *tensor.Dense[float32]) {
				e.SendKept(f, 0, []wire.PeerID{testPeer(2)}, x.Memory(), tensor.Raw(x.Data))
				x.Set(tensor.DenseOf(make([]float32, len(x.Data)), len(x.Data)))
			},
			"kept, and the frame is used again": func(e *Engine, f *Frame, x *tensor.Dense[float32]) {
				e.SendKept(f, 0, []wire.PeerID{testPeer(2)}, x.Memory(), tensor.Raw(x.Data))
				x.Reset()
				x.Resize(len(want.Data))
				clear(x.Data)
			},
			"kept, and dropped": func(e *Engine, f *Frame, x *tensor.Dense[float32]) {
				e.SendKept(f, 0, []wire.PeerID{testPeer(2)}, x.Memory(), tensor.Raw(x.Data))
				values.Drop(x)
				x.Set(tensor.DenseOf(make([]float32, len(want.Data)), len(want.Data)))
			},
			"apart": func(e *Engine, f *Frame, x *tensor.Dense[float32]) {
				e.SendApart(f, e.NewExecution(), 0, []wire.PeerID{testPeer(2)}, tensor.Raw(x.Data))
				clear(x.Data)
			},
		} {
			t.Run(fmt.Sprint(name, n), func(t *testing.T) {
				var x tensor.Dense[float32]
				x.Set(want)
				a, b, got := pairOf(t, func(f *testBody, e *Engine) error {
					send(e, &f.Frame, &x)
					return nil
				})
				if _, err := a.Invoke(0, "send"); err != nil {
					t.Fatal(err)
				}
				envelopes := sendAll(a)
				for _, bulk := range deliverAll(t, b, a.Self(), envelopes) {
					blob := a.Bulk(b.Self(), bulk.ID)
					if sum := wire.CRC(blob.Bytes()); sum != bulk.CRC || sum != blob.CRC() {
						t.Errorf("the sum is %08x, the envelope says %08x, the value %08x", sum, bulk.CRC, blob.CRC())
					}
					blob.Retain()
					b.Filled(0, a.Self(), bulk, blob)
				}
				pollAll(b, 0)
				if len(*got) != 1 || !slices.Equal((*got)[0], tensor.Raw(want.Data)) {
					t.Errorf("%d values came, or another one", len(*got))
				}
			})
		}
	}
}

// A peer that is named when the program runs gets nothing if it is of another class than
// the edge leads to.
func TestSendToClass(t *testing.T) {
	for class, want := range map[string]int{"": 1, "b": 1, "c": 0} {
		a, b, got := pairOf(t, func(f *testBody, e *Engine) error {
			e.Send(&f.Frame, 0, []wire.PeerID{testPeer(2)}, []byte{1})
			return nil
		})
		a.partition.Edges[0].To = class
		if _, err := a.Invoke(0, "send"); err != nil {
			t.Fatal(err)
		}
		deliverAll(t, b, a.Self(), sendAll(a))
		pollAll(b, 0)
		if len(*got) != want {
			t.Errorf("to class %q: %d values came, want %d", class, len(*got), want)
		}
	}
}

// No message is withdrawn if peers would learn of an execution in another way.
func TestMayWithdraw(t *testing.T) {
	for _, tt := range []struct {
		name  string
		class string
		edges []Edge
		want  bool
	}{
		{"a server and its clients", "s", []Edge{{From: "s"}, {From: "c", Receives: true}}, true},
		{"clients answer all servers", "s", []Edge{{From: "s"}, {From: "c", Origins: []string{"s"}, Receives: true}}, true},
		{"a server goes on with it", "s", []Edge{{From: "s", Origins: []string{"s"}}, {From: "c", Origins: []string{"s"}, Receives: true}}, false},
		{"clients tell each other", "s", []Edge{{From: "s"}, {From: "c", Receives: true}, {From: "c", Origins: []string{"s"}}}, false},
		{"clients go on with those of others", "s", []Edge{{From: "s"}, {From: "c", Origins: []string{"t"}}}, true},
		{"servers tell each other", "s", []Edge{{From: "s", Receives: true}}, false},
		{"two targets are one peer", "c+s", []Edge{{From: "s"}}, false},
	} {
		if got := mayWithdraw(&Partition{Class: tt.class, Edges: tt.edges}); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestLinks: the delay is half the shortest round trip to the farthest peer, the bandwidth the highest rate of much data.
func TestLinks(t *testing.T) {
	var n Node
	near, far := &peer{}, &peer{}
	for _, tt := range []struct {
		p    *peer
		s    outbox.Sample
		want collective.Links
	}{
		{near, outbox.Sample{RTT: 100, Bytes: 10}, collective.Links{Latency: 50}},
		{far, outbox.Sample{RTT: 3000, Bytes: leastBulk - 1}, collective.Links{Latency: 1500}},
		{far, outbox.Sample{RTT: 2000, Bytes: 10}, collective.Links{Latency: 1000}},
		{far, outbox.Sample{RTT: 2e9, Bytes: leastBulk}, collective.Links{Latency: 1000, Bandwidth: leastBulk / 2}},
		{near, outbox.Sample{RTT: 0, Bytes: leastBulk}, collective.Links{Latency: 1000, Bandwidth: leastBulk / 2}}, // the clock has not moved
		{far, outbox.Sample{RTT: 1e9, Bytes: 4 * leastBulk}, collective.Links{Latency: 1000, Bandwidth: 4 * leastBulk}},
		{near, outbox.Sample{RTT: 1e9, Bytes: leastBulk}, collective.Links{Latency: 1000, Bandwidth: 4 * leastBulk}},
	} {
		n.now++
		n.measure(tt.p, tt.s)
		if got := n.linksOf(&communicator{peers: []*peer{near, far}}); got != tt.want {
			t.Errorf("after %+v: got %+v, want %+v", tt.s, got, tt.want)
		}
	}
}

// TestLinksOfSharedProcessors: what peers of this machine acknowledge tells nothing about links if they wait for processors.
func TestLinksOfSharedProcessors(t *testing.T) {
	for _, tt := range []struct {
		processors int
		want       collective.Links
	}{
		{0, collective.Links{Latency: 100, Bandwidth: leastBulk * 1e6}},
		{1, collective.Links{Latency: 20, Sharing: 3}},
		{2, collective.Links{Latency: 100, Bandwidth: leastBulk * 1e6, Sharing: 1}},
	} {
		c := Config{Self: testPeer(1), Incarnation: 1, Processors: tt.processors}
		for i := range 3 {
			c.Peers = append(c.Peers, PeerConfig{ID: testPeer(byte(10 + i)), Class: "other", Rank: i, Near: i < 2})
		}
		n, err := New(c, &Partition{Class: "this"})
		if err == nil { // of a peer that is admitted again, nothing changes
			err = n.Allow(c.Peers[0])
		}
		if err != nil {
			t.Fatal(err)
		}
		far, near := n.peer(testPeer(12)), n.peer(testPeer(10))
		n.now++
		n.measure(far, outbox.Sample{RTT: 40, Bytes: 10})
		n.measure(near, outbox.Sample{RTT: 200, Bytes: 10})
		n.measure(near, outbox.Sample{RTT: 1000, Bytes: leastBulk})
		if got := n.linksOf(&communicator{peers: []*peer{n.self, near, far}}); got != tt.want {
			t.Errorf("%d processors: got %+v, want %+v", tt.processors, got, tt.want)
		}
	}
}
