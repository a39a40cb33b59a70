package dsl_test

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/dsl"
)

// Ping sends a number to all pongs, and emits their answers to the
// host.
type Ping struct{}

func (Ping) Body(g *dsl.Graph) {
	pongs := g.Peers("pong")
	g.NetOut("x", pongs, g.Input("number", dsl.Float32()))
	g.AppEmit("answer", g.Input("y", dsl.Float32(), dsl.From(pongs)))
}

// Pong answers with the number plus one.
type Pong struct{}

func (Pong) Body(g *dsl.Graph) {
	x := g.Input("x", dsl.Float32())
	g.NetOut("y", g.Sender(x), g.Add(x, g.Scalar(x, 1)))
}

func Example() {
	program := dsl.Program{Name: "pingpong", Modules: []dsl.Module{Ping{}, Pong{}}}
	if _, err := dsl.Build(program); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("bbgen makes two binaries of it: ping and pong")
	// Output: bbgen makes two binaries of it: ping and pong
}

// Seen is the state of a counter.
type Seen struct{ Start int64 }

// Counter counts together with others of its class. After a restart it continues with the state of the
// others.
type Counter struct{ Seen dsl.Component }

func (c Counter) Body(g *dsl.Graph) {
	all := g.Peers("counter")
	rounds := g.Rounds(1000)
	step := rounds.Carry("step", g.Const(int64(0)))
	now := g.Enter(step, all, []dsl.Slot{&c.Seen})
	rounds.Next(step, g.Add(now, g.Scalar(now, 1)))

	seen := c.Seen.Call(g, "Count", dsl.Int64(), now)
	g.Output("sum", g.AllReduce(seen, all, dsl.Sum, dsl.IfLost(dsl.Repeat)))
}

func ExampleGraph_Enter() {
	_, err := dsl.Build(dsl.Program{Name: "counters", Modules: []dsl.Module{Counter{dsl.Component{Bind: dsl.Go(Seen{})}}}})
	fmt.Println("mistakes:", err)
	// Output: mistakes: <nil>
}

// Careless adds tensors of different sizes, twice.
type Careless struct{}

func (Careless) Body(g *dsl.Graph) {
	two, three := g.Const([]float32{1, 2}), g.Const([]float32{1, 2, 3})
	g.Output("sum", g.Add(two, three))
	g.Output("product", g.Mul(two, three))
}

// Mistakes are reported together, each with the author's file and line.
func ExampleErrors() {
	_, err := dsl.Build(dsl.Program{Name: "careless", Modules: []dsl.Module{Careless{}}})
	var mistakes dsl.Errors
	if errors.As(err, &mistakes) {
		for _, m := range mistakes {
			fmt.Println(m.Msg)
		}
	}
	// Output:
	// Add: shapes [[2] [3]] do not broadcast
	// Mul: shapes [[2] [3]] do not broadcast
}
