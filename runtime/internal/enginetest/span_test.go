package enginetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// spanText describes a span, with times in milliseconds.
func spanText(peer string, s *runtime.Span) string {
	name := func(id wire.PeerID) string {
		for i, n := range []string{"server", "client 0", "client 1"} {
			if id == mem.PeerID(i) {
				return n
			}
		}
		return "nobody"
	}
	text := fmt.Sprintf("%s: %d to %d ms: %s", peer, s.Start/1e6, s.End/1e6, s.Module)
	if s.IsContribution() {
		text += " to " + s.Parent
	}
	if s.Cut != "" {
		text += fmt.Sprintf(", %v %s", s.Kind, s.Cut)
	}
	text += fmt.Sprintf(" of %s's execution %d, begun by %s", name(s.Exec.Origin), s.Exec.Number, name(s.From))
	if s.Received+s.Sent > 0 {
		text += fmt.Sprintf(", received %d, sent %d", s.Received, s.Sent)
	}
	if s.Asked > 0 {
		text += fmt.Sprintf(", %d of %d came", s.Came, s.Asked)
	}
	if s.Err != nil {
		text += fmt.Sprintf(": %v", s.Err)
	}
	return text
}

// spansOf runs a round of a server with two clients, of which the second crashes while it trains. It returns the
// spans of the server and the first client.
func spansOf(t *testing.T, quorum int) string {
	w := mem.New(mem.Config{Seed: 1, Delay: 1e6, Command: 5e6, Faults: []mem.Fault{{Kind: mem.Crash, Node: 2, At: 3e6, For: 10e9}}})
	var got []string
	add := func(name string, p *runtime.Partition) {
		c := runtime.Config{Seed: 1, Span: func(s *runtime.Span) { got = append(got, spanText(name, s)) }}
		w.Add(c, func() *runtime.Partition { return p })
	}
	add("server", handmade.Server(1, quorum, 1e9))
	add("client 0", handmade.Client(&handmade.Trainer{}))
	add("client 1", handmade.Client(&handmade.Trainer{Rank: 1}))
	w.Started = func(i int, n *runtime.Node) {
		if i != 0 {
			return
		}
		if _, err := n.Invoke(n.Now(), "server", tensor.Of([]float64{1, 2}, 2)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Run(5e9, func() bool { return false }); err != nil {
		t.Fatal(err)
	}
	return strings.Join(got, "\n")
}

// TestSpans shows the spans of a round that one contribution is enough for, and of one that fails.
func TestSpans(t *testing.T) {
	const both = `client 0: 3 to 10 ms: client, command trained of server's execution 1, begun by server
client 0: 3 to 10 ms: client of server's execution 1, begun by server, received 16, sent 16
server: 11 to 11 ms: update to server of server's execution 1, begun by client 0, received 16, sent 0
`
	for quorum, want := range map[int]string{
		1: `server: 0 to 11 ms: server, gather updates of server's execution 1, begun by nobody, received 16, sent 0, 1 of 2 came
server: 0 to 11 ms: server of server's execution 1, begun by nobody, received 0, sent 32`,
		2: `server: 0 to 1000 ms: server, gather updates of server's execution 1, begun by nobody, received 16, sent 0, 1 of 2 came: no quorum: 1 of 2 peers, want 2
server: 0 to 1000 ms: server of server's execution 1, begun by nobody, received 0, sent 32: gather updates of server: no quorum: 1 of 2 peers, want 2`,
	} {
		if got := spansOf(t, quorum); got != both+want {
			t.Errorf("quorum %d: the spans are\n%s\nwant\n%s", quorum, got, both+want)
		}
	}
}
