package partitioner_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/component/dp"
)

// TestNoises shows the number of noises that programs add.
func TestNoises(t *testing.T) {
	golden.Run(t, "testdata/noise_*.txtar", func(t *testing.T, a *golden.Archive) {
		p, err := partitioner.Make(compiled(t, a.Name, a.Get("in.ir")), partitioner.Options{Unbound: true})
		if err != nil {
			t.Fatal(err)
		}
		peers := map[string]int{}
		if a.Has("peers") {
			for _, word := range strings.Fields(a.Get("peers")) {
				class, n, _ := strings.Cut(word, "=")
				if peers[class], err = strconv.Atoi(n); err != nil {
					t.Fatal(err)
				}
			}
		}
		var out strings.Builder
		for _, n := range partitioner.Noises(p, peers) {
			fmt.Fprintf(&out, "%+v\n", n)
		}
		a.Check("out/noises", out.String())
	})
}

// chooser sends requests to clients that a component draws, and adds noise to the mean of their answers.
type chooser struct {
	Some    dsl.PeerSelector
	Average dsl.Aggregator
}

func (c chooser) Body(g *dsl.Graph) {
	round := g.Rounds(3).Number()
	chosen := c.Some.CurrentView(g, dsl.When(g.OnTrigger(round)))
	g.NetOut("asked", chosen, round)
	x := g.Input("answer", dsl.Float32(8), dsl.From(chosen))
	g.Output("mean", c.Average.Aggregate(g, c.Average.Contribute(g, x, dsl.Value{}), dsl.Quorum(1)))
}

type client struct{}

func (client) Body(g *dsl.Graph) {
	asked := g.Input("asked", dsl.Int64())
	g.NetOut("answer", g.Sender(asked), g.Gate(g.Const(make([]float32, 8), 8), asked))
}

// A program is refused if its noise assumes another rate than the one with which clients are drawn.
func TestSampling(t *testing.T) {
	for _, c := range []struct {
		rate, sampling float64
		want           string
	}{
		{0.5, 0.5, ""},
		{1, 1, ""},
		{1, 0, ""},
		{0.5, 0.25, `counts on peers that are drawn with a probability of 0.25, and slot "Some" (`},
		{0.5, 0, `counts on peers that are drawn with a probability of 1, and slot "Some"`},
	} {
		m, err := dsl.Record(dsl.Program{Name: "sampled", Modules: []dsl.Module{
			chooser{
				Some:    dsl.PeerSelector{Of: "client", Bind: dsl.Go(dp.Sampler{Class: "client", Rate: c.rate})},
				Average: dsl.Aggregator{Bind: dsl.Go(dp.Average{Clip: 1, Noise: 1, Sampling: c.sampling, Peers: 4})},
			}, client{},
		}})
		if err == nil {
			err = pass.Run(m, pass.Pipeline, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = partitioner.Make(m, partitioner.Options{})
		switch {
		case c.want == "":
			if err != nil {
				t.Errorf("rate %v, sampling %v: %v", c.rate, c.sampling, err)
			}
		case err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "privacy_test.go:"):
			t.Errorf("rate %v, sampling %v: got %v, want %s", c.rate, c.sampling, err, c.want)
		}
	}
}
