package secure_test

import (
	"testing"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/dsl/secure"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
)

// server sums the contributions of all clients, in each of two rounds.
type server struct{ Secure secure.Server }

func (server) Class() string { return "server" }

func (s server) Body(g *dsl.Graph) {
	r := g.Rounds(2)
	clients := g.Peers("client", dsl.AtLeast(4))
	sum, count := s.Secure.Sum(g, "change", clients, r.Number(), 3)
	g.Output("sum", sum)
	g.Output("count", count)
}

type client struct{ Secure secure.Client }

func (client) Class() string { return "client" }

func (c client) Body(g *dsl.Graph) { c.Secure.Give(g, "change", g.Const([]int32{1, 2})) }

// TestRecord shows the five requests of a sum, and the answers of a client.
func TestRecord(t *testing.T) {
	golden.Run(t, "testdata/record.txtar", func(t *testing.T, a *golden.Archive) {
		m, err := dsl.Record(dsl.Program{Name: "sums", Modules: []dsl.Module{server{secure.NewServer()}, client{secure.NewClient(3)}}})
		if err != nil {
			t.Fatal(err)
		}
		a.Check("out/record", ir.Print(m))
	})
}
