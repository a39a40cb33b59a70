package dsl_test

import (
	"math"
	"testing"
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestAstray shows the errors for values that are used where they do not exist.
func TestAstray(t *testing.T) {
	const inside = ` is computed inside the If at dsl/errors_test.go:N: return it from there`
	// leaks gives use a value of a branch, and the value that the branch computes with.
	leaks := func(use func(g *dsl.Graph, inner, outer dsl.Value)) body {
		return func(g *dsl.Graph) {
			x := g.Input("x", dsl.Float32())
			var inner dsl.Value
			g.If(g.Input("c", dsl.Bool()),
				func(g *dsl.Graph) []dsl.Value { inner = g.Add(x, x); return []dsl.Value{inner} },
				func(g *dsl.Graph) []dsl.Value { return []dsl.Value{x} })
			use(g, inner, x)
		}
	}
	// within calls do in a branch.
	within := func(do func(g *dsl.Graph, r *dsl.Rounds, x dsl.Value)) body {
		return func(g *dsl.Graph) {
			r := g.Rounds(2)
			x := r.Carry("x", g.Const(true))
			give := func(*dsl.Graph) []dsl.Value { return []dsl.Value{x} }
			g.If(x, func(g *dsl.Graph) []dsl.Value { do(g, r, g.Not(x)); return give(g) }, give)
			r.Next(x, x)
		}
	}
	for name, c := range map[string]struct {
		client body
		want   string
	}{
		"an operand":  {leaks(func(g *dsl.Graph, inner, x dsl.Value) { g.Add(inner, x) }), `Add: client/Add` + inside},
		"an output":   {leaks(func(g *dsl.Graph, inner, _ dsl.Value) { g.Output("y", inner) }), `output "y": client/Add` + inside},
		"for the end": {leaks(func(g *dsl.Graph, inner, _ dsl.Value) { g.Rounds(2).Until(inner) }), `Until: client/Add` + inside},
		"for another branch": {leaks(func(g *dsl.Graph, inner, x dsl.Value) {
			give := func(g *dsl.Graph) []dsl.Value { return []dsl.Value{g.Add(inner, x)} }
			g.If(g.Const(true), give, func(*dsl.Graph) []dsl.Value { return []dsl.Value{x} })
		}), `Add: client/Add` + inside},
		"of a loop": {func(g *dsl.Graph) {
			var i dsl.Value
			g.Loop(g.Const(3), func(g *dsl.Graph, n dsl.Value, x []dsl.Value) (dsl.Value, []dsl.Value) { i = n; return dsl.Value{}, x }, g.Const(1))
			g.Neg(i)
		}, `Neg: client/i is computed inside the Loop at dsl/errors_test.go:N: return it from there`},
		"an end in a branch":  {within(func(_ *dsl.Graph, r *dsl.Rounds, x dsl.Value) { r.Until(x) }), `Until: it stands inside the If at dsl/errors_test.go:N: say it behind that`},
		"a carry in a branch": {within(func(_ *dsl.Graph, r *dsl.Rounds, x dsl.Value) { r.Carry("y", x) }), `Carry "y" stands inside the If at dsl/errors_test.go:N: carry it before`},
		"a next in a branch": {func(g *dsl.Graph) {
			r := g.Rounds(2)
			x := r.Carry("x", g.Const(1))
			give := func(g *dsl.Graph) []dsl.Value { return []dsl.Value{x} }
			g.If(g.Const(true), func(g *dsl.Graph) []dsl.Value { r.Next(x, g.Add(x, x)); return give(g) }, give)
		}, `Next: x: it stands inside the If at dsl/errors_test.go:N: say it behind that`},
		"a round for itself": {func(g *dsl.Graph) { r := g.Rounds(2); r.Carry("x", r.Number()) },
			`Carry "x": client/round is a value of these rounds, which is not there before they begin`},
		"a carry after a branch that knows the round": {func(g *dsl.Graph) {
			r := g.Rounds(2)
			give := func(g *dsl.Graph) []dsl.Value { return []dsl.Value{g.Neg(r.Number())} }
			g.If(g.Const(true), give, give)
			r.Carry("x", g.Const(1))
		}, `Carry "x" comes after the round has begun, at dsl/errors_test.go:N: carry all values first`},
		"no end":                  {func(g *dsl.Graph) { g.Rounds(2).Until(dsl.Value{}) }, `Until: `},
		"an end of another type":  {func(g *dsl.Graph) { g.Rounds(2).Until(g.Const(1)) }, `Until: got int64[], want bool[]`},
		"a bundle with a gap":     {func(g *dsl.Graph) { g.Bundle(g.Const(1), dsl.Value{}) }, `Bundle: value 1 is left out`},
		"a module that is nil":    {func(g *dsl.Graph) { g.Call(nil, nil) }, `the module is nil: <nil>`},
		"a pointer that is nil":   {func(g *dsl.Graph) { g.Call((*Nested)(nil), nil) }, `the module is nil: *dsl_test.Nested`},
		"a tensor that is nil":    {func(g *dsl.Graph) { g.Const((*tensor.Tensor)(nil)) }, `Const: tensor is nil`},
		"a tensor without a type": {func(g *dsl.Graph) { g.Const(&tensor.Tensor{}) }, `Const: tensor of undefined`},
		"a tensor of another size": {func(g *dsl.Graph) {
			g.Const(&tensor.Tensor{DType: tensor.Float32, Shape: []int{3}, Data: []float32{1}})
		}, `Const: tensor float32[3] has 1 elements`},
		"an attribute that is nil": {func(g *dsl.Graph) {
			g.Op("ConstantOfShape", dsl.Attrs{"value": (*tensor.Tensor)(nil)}, g.Const([]int{2}))
		}, `ConstantOfShape: attribute "value": tensor is nil`},
		"an event of no kind": {func(g *dsl.Graph) { g.EventSource("late peer") }, `EventSource: attribute "kind" is "late peer", want one of "emitted", `},
		"an input of two types": {func(g *dsl.Graph) { g.Input("x", dsl.Float32("n")); g.Input("x", dsl.Int64("n")) },
			`input "x", which is taken at dsl/errors_test.go:N, too: got float32[n], want int64[n]`},
		"an input with other options": {func(g *dsl.Graph) {
			g.Input("x", dsl.Float32())
			g.Input("x", dsl.Float32(), dsl.From(g.Peers("client")))
		}, `input "x" has 1 options here and 0 at dsl/errors_test.go:N: say them at both places`},
		"a norm beyond float32": {func(g *dsl.Graph) { g.NetOut("p", g.Peers("client"), g.Const([]float32{1}), dsl.Clip(math.Inf(1))) },
			`NetOut "p": the norm that Clip leaves must be more than 0, and finite in float32`},
		"a norm below float32": {func(g *dsl.Graph) { g.NetOut("p", g.Peers("client"), g.Const([]float32{1}), dsl.Clip(1e-60)) },
			`NetOut "p": the norm that Clip leaves must be more than 0, and finite in float32`},
	} {
		t.Run(name, func(t *testing.T) { isMistake(t, c.client, nil, c.want) })
	}
}

// Peers that are chosen when the program runs are of no class that is known before.
func TestChosenClass(t *testing.T) {
	const want = `Next: to is peers of class server, and the next value peers of class client`
	nothing := func(g *dsl.Graph) { g.Pulse() }
	isMistake(t, func(g *dsl.Graph) {
		r := g.Rounds(2)
		r.Next(r.Carry("to", g.Peers("server")), g.Peers("client"))
	}, nothing, want)
	isMistake(t, func(g *dsl.Graph) {
		to := g.FirstOf(g.Gate(g.Peers("server"), g.Pulse()), g.After(time.Second, g.Pulse()))
		g.NetOut("p", to, g.Const(1))
	}, nothing, `Any: `)
	isMistake(t, func(g *dsl.Graph) {
		pulse := g.Pulse()
		to := g.FirstOf(g.Gate(g.Peers("server"), pulse), g.Gate(g.Peers("client"), g.After(time.Second, pulse)))
		g.NetOut("p", to, g.Const(1))
	}, nothing, `NetOut "p": no module has an input of that name: say of which class the peers are, with To`)
}

// A gather waits for peers of the class that sends.
func TestFromOtherClass(t *testing.T) {
	isMistake(t, func(g *dsl.Graph) { g.NetOut("x", g.Peers("server"), g.Const([]float32{1})) }, func(g *dsl.Graph) {
		a := dsl.Aggregator{Name: "a", Bind: part}
		x := g.Input("x", dsl.Float32(1), dsl.From(g.Peers("server")))
		a.Aggregate(g, a.Contribute(g, x, dsl.Value{}), dsl.Quorum(1))
	}, `NetOut "x" comes from peers of class client, and the input at dsl/errors_test.go:N waits for those of class server`)
}

// Branches inside each other see the values around them, and the sender of an input can be asked for in a branch.
func TestBranchesSeeOut(t *testing.T) {
	body := func(g *dsl.Graph) {
		x := g.Input("x", dsl.Float32())
		from := dsl.Value{}
		y := g.Loop(g.Const(3), func(g *dsl.Graph, i dsl.Value, c []dsl.Value) (dsl.Value, []dsl.Value) {
			from = g.Sender(x)
			twice := g.Add(c[0], x)
			return dsl.Value{}, g.If(g.Less(i, g.Const(int64(1))),
				func(g *dsl.Graph) []dsl.Value { return []dsl.Value{g.Mul(twice, c[0])} },
				func(g *dsl.Graph) []dsl.Value { return []dsl.Value{twice} })
		}, x)
		g.Output("y", y[0])
		g.AppEmit("from", from)
	}
	send := func(g *dsl.Graph) { g.NetOut("x", g.Peers("client"), g.Const(float32(1))) }
	if _, err := dsl.Build(dsl.Program{Name: "p", Modules: []dsl.Module{client{body}, server{send}}}); err != nil {
		t.Error(err)
	}
}
