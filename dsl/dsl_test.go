package dsl_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/component/schedule"
)

// part is any component: the record does not depend on which one.
var part = dsl.Go(schedule.Schedule{})

// Server averages the contributions of its clients.
type Server struct{ Average dsl.Aggregator }

func (s Server) Body(g *dsl.Graph) {
	r := g.Rounds(30)
	params := r.Carry("params", g.Const([]float32{0, 0}))
	clients := g.Peers("client", dsl.AtLeast(2))
	g.NetOut("params", clients, params)
	update := g.Input("update", dsl.Float32(2), dsl.From(clients))
	weight := g.Input("weight", dsl.Float32(), dsl.From(clients))
	contributed := s.Average.Contribute(g, update, weight)
	mean := s.Average.Aggregate(g, contributed, dsl.Quorum(2), dsl.Within(10*time.Second))
	r.Next(params, mean)
	g.Output("model", mean)
}

// Client trains.
type Client struct {
	Model dsl.Model
	Data  dsl.DataSource
}

func (c Client) Body(g *dsl.Graph) {
	params := g.Input("params", dsl.Float32(dsl.Any))
	c.Model.LoadParameters(g, params)
	batch, labels := c.Data.NextBatch(g, dsl.Float32("batch", 784), dsl.Int64("batch"))
	g.Output("loss", c.Model.TrainStep(g, batch, labels))
	server := g.Sender(params)
	g.NetOut("update", server, c.Model.Params(g), dsl.Clip(1), dsl.Codec("int8"))
	g.NetOut("weight", server, c.Data.Samples(g))
}

func fedavg() dsl.Program {
	return dsl.Program{Name: "fedavg", Modules: []dsl.Module{
		Server{Average: dsl.Aggregator{Bind: part}},
		Client{Model: dsl.Model{Bind: dsl.ONNX("cnn.onnx", dsl.Train{Optimizer: dsl.Optimizer{Name: "sgd", Rate: 0.1}})}, Data: dsl.DataSource{Bind: part}},
	}}
}

// Split is split learning, read from top to bottom: the client has the data and
// the first layers, the server the rest.
type Split struct {
	Front, Back dsl.Model
	Data        dsl.DataSource
}

func (Split) Class() string { return "client" }

func (s Split) Body(g *dsl.Graph) {
	r := g.Rounds(10)
	x, labels := s.Data.NextBatch(g, dsl.Float32("batch", 4), dsl.Int64("batch"), dsl.When(g.GateDispatch(r.Number())))
	server := g.Peers("server")
	h := g.NetOut("h", server, s.Front.Forward(g, x, dsl.Float32("batch", 8)), dsl.Codec("float16"))
	t := g.NetOut("labels", server, labels)
	y := s.Back.Forward(g, h, dsl.Float32("batch", 3))
	loss := g.CrossEntropy(y, t)
	g.Output("loss", loss)
	dh := s.Back.Backward(g, g.Sub(g.Softmax(y, 1), g.Scalar(y, 0.5)), dsl.Float32("batch", 8))
	back := g.NetOut("dh", g.Sender(h), dh)
	s.Front.Backward(g, back)
	g.AppEmit("round", r.Number())
}

func split() dsl.Program {
	return dsl.Program{Name: "split", Modules: []dsl.Module{
		Split{Front: dsl.Model{Bind: dsl.ONNX("front.onnx", dsl.Train{Optimizer: dsl.Optimizer{Name: "sgd"}})}, Back: dsl.Model{Bind: part}, Data: dsl.DataSource{Bind: part}},
	}}
}

var programs = map[string]func() dsl.Program{"fedavg": fedavg, "split": split, "nested": nested, "everything": everything, "flow": flow}

// TestRecord shows the records of programs.
func TestRecord(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		m, err := dsl.Record(programs[strings.TrimSuffix(filepath.Base(a.Name), ".txtar")]())
		if err != nil {
			t.Fatal(err)
		}
		a.Check("out/record", ir.Print(m))
	})
}

// TestRoundTrip tests that an artifact is read unchanged, byte for byte, and that the whole pipeline accepts
// it.
func TestRoundTrip(t *testing.T) {
	for name, program := range programs {
		t.Run(name, func(t *testing.T) {
			b, err := dsl.Build(program())
			if err != nil {
				t.Fatal(err)
			}
			m, err := onnx.Decode(name, b, nil)
			if err != nil {
				t.Fatal(err)
			}
			again, err := onnx.Encode(m)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(b, again) {
				t.Error("the artifact is written in another way when it has been read")
			}
			if err := pass.Run(m, pass.Pipeline, nil); err != nil {
				t.Fatal(err)
			}
			m.Main.Body.Walk(func(n *ir.Node) {
				if n.Class == "" || n.Pos == "" {
					t.Errorf("%s: class %q, line %q", n, n.Class, n.Pos)
				}
			})
		})
	}
}

// TestDeterministic tests that two records of a program are equal.
func TestDeterministic(t *testing.T) {
	var first []byte
	for range 5 {
		b, err := dsl.Build(everything())
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b
		}
		if !bytes.Equal(first, b) {
			t.Fatal("the same program gives two artifacts")
		}
	}
}

// TestEveryOperator tests that there is a method for each operator of distributed programs in the
// table.
func TestEveryOperator(t *testing.T) {
	used := map[*op.Op]bool{}
	for _, program := range programs {
		m, err := dsl.Record(program())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range m.Funcs {
			f.Body.Walk(func(n *ir.Node) { used[op.Lookup(n)] = true })
		}
	}
	for _, o := range op.All() {
		if o.Domain != "" && o.Peer != nil && !used[o] {
			t.Errorf("no program here has %s:%s", o.Domain, o.Name)
		}
	}
}
