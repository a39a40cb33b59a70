package record_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
)

// Server and Client have one of each construct that the stages after an artifact handle: rounds, a gather,
// edges with codecs, bundles, slots, services.
type Server struct{ Average dsl.Aggregator }

func (s Server) Body(g *dsl.Graph) {
	r := g.Rounds(3)
	x := r.Carry("x", g.Const([]float32{1, 2}))
	clients := g.Peers("client", dsl.AtLeast(1))
	g.NetOut("x", clients, g.Bundle(x, r.Number()))
	u := g.Input("u", dsl.Float32(2), dsl.From(clients))
	mean := s.Average.Aggregate(g, s.Average.Contribute(g, u, dsl.Value{}), dsl.Quorum(dsl.All))
	r.Next(x, mean)
	g.Output("mean", mean)
}

type Client struct{ Own dsl.Component }

func (c Client) Body(g *dsl.Graph) {
	b := g.Input("x", dsl.BundleOf(dsl.Float32(dsl.Any), dsl.Int64()))
	parts := g.Unbundle(b)
	y := c.Own.Call(g, "Mix", dsl.Float32("n"), parts[0])
	q := g.Queue("jobs", dsl.Float32("n"))
	q.Enqueue(y)
	g.NetOut("u", g.Sender(b), g.Relu(q.Dequeue()), dsl.Codec("int8"))
	g.IncrMetric("seen", 1, parts[1])
}

func recorded(t testing.TB) []byte {
	b, err := dsl.Build(dsl.Program{Name: "p", Modules: []dsl.Module{
		Server{dsl.Aggregator{Bind: dsl.Go(bytes.Buffer{})}}, Client{dsl.Component{Bind: dsl.Go(bytes.Buffer{})}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// compile runs the stages before the author's types on an artifact.
func compile(b []byte) error {
	m, err := onnx.Decode("artifact.pb", b, nil)
	if err != nil {
		return err
	}
	if !artifact.IsProgram(m) || len(b) > 1<<16 {
		return errors.New("not a program")
	}
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		return err
	}
	p, err := partitioner.Make(m, partitioner.Options{Unbound: true})
	if err == nil {
		_ = partitioner.Print(p)
	}
	return err
}

// FuzzArtifact checks that every artifact is either cut or refused.
func FuzzArtifact(f *testing.F) {
	f.Add(recorded(f))
	f.Fuzz(func(t *testing.T, b []byte) { _ = compile(b) })
}

// TestMutations does that for slightly damaged artifacts: a few bytes are changed, and words are replaced by
// other words of the artifact.
func TestMutations(t *testing.T) {
	whole := recorded(t)
	if err := compile(whole); err != nil {
		t.Fatal(err)
	}
	words := [][]byte{
		[]byte("server"), []byte("client"), []byte("Peers"), []byte("Rounds"), []byte("Recv"), []byte("Send"), []byte("types"), []byte("port"), []byte("slot"),
		[]byte("float32[2]"), []byte("Next"), []byte("Bundle"), []byte("Unbundle"), []byte("quorum"), []byte("jobs"), []byte("name"), []byte("class"), []byte("to"),
	}
	r := rand.New(rand.NewPCG(1, 2))
	n := 3000
	if testing.Short() {
		n = 300
	}
	for range n {
		b := bytes.Clone(whole)
		for range 1 + r.IntN(3) {
			switch w := words[r.IntN(len(words))]; r.IntN(3) {
			case 0:
				b[r.IntN(len(b))] = byte(r.Uint32())
			case 1: // another word of that length, so that the surrounding lengths remain valid
				for _, v := range words {
					if len(v) == len(w) {
						b = replaceOne(r, b, w, v)
					}
				}
			case 2:
				b = replaceOne(r, b, w, bytes.Repeat([]byte{byte('a' + r.IntN(26))}, len(w)))
			}
		}
		func() {
			defer func() {
				if x := recover(); x != nil {
					t.Fatalf("%v\n%q", x, b)
				}
			}()
			_ = compile(b)
		}()
	}
}

// replaceOne replaces one occurrence of a word.
func replaceOne(r *rand.Rand, b, old, by []byte) []byte {
	k := bytes.Count(b, old)
	if k == 0 {
		return b
	}
	at := 0
	for range r.IntN(k) + 1 {
		at += bytes.Index(b[at:], old) + 1
	}
	copy(b[at-1:], by)
	return b
}
