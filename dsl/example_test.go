package dsl_test

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/dsl"
)

// Ping sends a number to all pongs, and tells the host what each of them makes of
// it.
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
