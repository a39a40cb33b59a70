package dsl_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestMistakenNumbers shows the errors for counts, sizes and times that mean nothing.
func TestMistakenNumbers(t *testing.T) {
	aggregate := func(opts ...dsl.CallOption) body {
		return func(g *dsl.Graph) {
			a := dsl.Aggregator{Name: "a", Bind: part}
			a.Aggregate(g, a.Contribute(g, g.Const([]float32{1}), dsl.Value{}), opts...)
		}
	}
	sends := func(opt dsl.EdgeOption) body {
		return func(g *dsl.Graph) { g.NetOut("p", g.Peers("client"), g.Const([]float32{1}), opt) }
	}
	for name, c := range map[string]struct {
		client body
		want   string
	}{
		"a quorum below none":       {aggregate(dsl.Quorum(-1)), `Aggregate: the quorum is -1, want 1 or more, or All`},
		"no time for contributions": {aggregate(dsl.Quorum(1), dsl.Within(0)), `Aggregate: Within is 0s, want more than 0`},
		"a norm of nothing":         {sends(dsl.Clip(0)), `NetOut "p": the norm that Clip leaves must be more than 0`},
		"no time until a deadline":  {sends(dsl.Deadline(-time.Second)), `NetOut "p": the deadline must be more than 0`},
		"no peers are enough":       {func(g *dsl.Graph) { g.Peers("client", dsl.AtLeast(0)) }, `AtLeast(0), want 1 or more`},
		"a sleep of no time":        {func(g *dsl.Graph) { g.Sleep(g.Const(1), 0) }, `the duration is 0s, want more than 0`},
		"a limit of nothing":        {func(g *dsl.Graph) { g.Limit("l", 0) }, `Limit "l": 0 permits, want 1 or more`},
		"no neighbors": {func(g *dsl.Graph) { dsl.Index{Name: "i", Bind: part}.Search(g, g.Const([]float32{1}), 0) },
			`Search: k is 0, want 1 or more`},
		"no steps": {func(g *dsl.Graph) {
			dsl.Model{Name: "m", Bind: part}.TrainSteps(g, dsl.DataSource{Name: "d", Bind: part}, 0)
		}, `TrainSteps: 0 steps, want 1 or more`},
		"one bucket": {func(g *dsl.Graph) {
			dsl.Model{Name: "m", Bind: part}.GradientBuckets(g, g.Const([]float32{1}), g.Const([]float32{1}), 1)
		}, `GradientBuckets: 1 buckets, want 2 or more; Gradients returns all in one`},
		"no selected peers": {func(g *dsl.Graph) { dsl.PeerSelector{Name: "s", Of: "client", Bind: part}.Sample(g, 0) },
			`Sample: 0 peers, want 1 or more`},
		"peers of a class that is not said": {func(g *dsl.Graph) { dsl.PeerSelector{Name: "s", Bind: part}.SelectAll(g) },
			`Select: peers of which class? Set Of in the slot`},
		"a size below 0": {func(g *dsl.Graph) { g.Input("x", dsl.Float32(-1)) }, `input "x": axis 0: the size is -1, want 0 or more`},
		"a size that is no size": {func(g *dsl.Graph) { g.Input("x", dsl.Float64(2.5)) },
			`input "x": axis 0: the size is a float64, want an int, a name or Any`},
		"too many axes": {func(g *dsl.Graph) { g.Input("x", dsl.Tensor(tensor.Int8, make([]any, 100)...)) },
			`input "x": a tensor has 100 axes, want at most `},
		"more elements than a tensor has": {func(g *dsl.Graph) { g.Input("x", dsl.Float32(1<<30, "n", 1<<30)) },
			`input "x": the shape is [1073741824 `},
		"bundles in a queue": {func(g *dsl.Graph) { g.Queue("q", dsl.BundleOf(dsl.Float32(), dsl.Bool())).Dequeue() },
			`"q" is for bundles, which cannot be stored: use one for each of their values`},
		"no element type": {func(g *dsl.Graph) { g.Input("x", dsl.Tensor(tensor.DType(99))) }, `input "x": there is no element type 99`},
	} {
		t.Run(name, func(t *testing.T) { isMistake(t, c.client, nil, c.want) })
	}
}

// TestMistakenConstants shows the errors for constants and attributes.
func TestMistakenConstants(t *testing.T) {
	for name, c := range map[string]struct {
		client body
		want   string
	}{
		"of another length": {func(g *dsl.Graph) { g.Const([]float32{1, 2, 3}, 2, 2) }, `Const: 3 elements for shape [2 2], want 4`},
		"one with a shape":  {func(g *dsl.Graph) { g.Const(1, 2) }, `Const: one element has no shape [2]; ConstantOfShape fills one`},
		"of no type":        {func(g *dsl.Graph) { g.Const(struct{}{}) }, `Const: got a struct {}, want a number, bool or string, or one slice of them in row-major order with the sizes behind it: Const(x, 2, 3)`},
		"like a string":     {func(g *dsl.Graph) { g.Scalar(g.Const("a"), 1) }, `Scalar: client/const is string[], want numbers`},
		"like nothing":      {func(g *dsl.Graph) { g.Scalar(dsl.Value{}, 1) }, `Scalar: `},
		"an attribute of no kind": {func(g *dsl.Graph) { g.Op("Softmax", dsl.Attrs{"axis": struct{}{}}, g.Const([]float32{1})) },
			`Softmax: attribute "axis": got a struct {}, want a number, a string, a tensor or a slice of numbers or strings`},
	} {
		t.Run(name, func(t *testing.T) { isMistake(t, c.client, nil, c.want) })
	}
}

// TestMistakenNames shows the errors for names that code cannot have.
func TestMistakenNames(t *testing.T) {
	for name, c := range map[string]struct {
		client body
		want   string
	}{
		"an edge":       {func(g *dsl.Graph) { g.NetOut("a b", g.Peers("client"), g.Const(1)) }, `NetOut "a b": want a name of letters, digits and underscores`},
		"an output":     {func(g *dsl.Graph) { g.Output("a-b", g.Const(1)) }, `output "a-b": want a name of letters, digits and underscores`},
		"a collective":  {func(g *dsl.Graph) { g.AllReduce(g.Const([]float32{1}), g.Peers("client"), dsl.Sum, dsl.Port("a b")) }, `AllReduce: port "a b": want a name of letters, digits and underscores`},
		"a method":      {func(g *dsl.Graph) { dsl.Component{Name: "c", Bind: part}.CallN(g, "read", nil) }, `Call: method "read", want an exported name`},
		"an input, too": {func(g *dsl.Graph) { g.Output("x", g.Neg(g.Input("x", dsl.Float32()))) }, `output "x": there is an input of that name`},
		"a phase":       {func(g *dsl.Graph) { g.LifecyclePhase("late") }, `LifecyclePhase "late", want bootstrap, running, stopping or stopped`},
		"an event of the engine": {func(g *dsl.Graph) { g.AppNotify("done") },
			`AppNotify "done": loops of rounds send events of that name: choose another one`},
		"a model's file": {func(g *dsl.Graph) { dsl.Model{Name: "m", Bind: dsl.ONNX("")}.Params(g) }, `slot m: ONNX: which file?`},
		"two trainings": {func(g *dsl.Graph) { dsl.Model{Name: "m", Bind: dsl.ONNX("m.onnx", dsl.Train{}, dsl.Train{})}.Params(g) },
			`slot m: ONNX("m.onnx"): 2 ways to train, want one`},
	} {
		t.Run(name, func(t *testing.T) { isMistake(t, c.client, nil, c.want) })
	}
}

// TestMistakenFlow shows the errors for values that are not there, and for loops and branches.
func TestMistakenFlow(t *testing.T) {
	none := func(*dsl.Graph) []dsl.Value { return nil }
	for name, c := range map[string]struct {
		client body
		want   string
	}{
		"a sender of nothing":        {func(g *dsl.Graph) { g.Sender(dsl.Value{}) }, `Sender of no value`},
		"a sender of a constant":     {func(g *dsl.Graph) { g.Sender(g.Const(1)) }, `Sender: client/const is not what came over an edge`},
		"an output of nothing":       {func(g *dsl.Graph) { g.Output("y", dsl.Value{}) }, `output "y": `},
		"an edge for nothing":        {func(g *dsl.Graph) { g.NetOut("p", g.Peers("client"), dsl.Value{}) }, `NetOut "p": `},
		"a sum of nothing":           {func(g *dsl.Graph) { g.AllReduce(dsl.Value{}, g.Peers("client"), dsl.Sum) }, `AllReduce: `},
		"the first of nothing":       {func(g *dsl.Graph) { g.FirstOf(dsl.Value{}) }, `Any: a value is none, want values that may arrive`},
		"parts of what is no bundle": {func(g *dsl.Graph) { g.Unbundle(g.Const(1)) }, `Unbundle: `},
		"a bootstrap's output": {func(g *dsl.Graph) { g.BootstrapOutput("y", g.Const(1)) },
			`BootstrapOutput: this is not a Bootstrap; AppEmit is for others`},
		"branches without values": {func(g *dsl.Graph) { g.If(g.Input("c", dsl.Bool()), none, none) },
			`If: one branch gives 0 values and the other 0, want as many, and one at least`},
		"branches with a value that is wrong": {func(g *dsl.Graph) {
			x := g.Op("Nothing", nil)
			give := func(*dsl.Graph) []dsl.Value { return []dsl.Value{x} }
			g.If(g.Input("c", dsl.Bool()), give, give)
		}, `there is no operator "Nothing" in ai.onnx`},
		"a loop with a value that is wrong": {func(g *dsl.Graph) {
			x := g.Op("Nothing", nil)
			g.Loop(g.Const(3), func(g *dsl.Graph, i dsl.Value, _ []dsl.Value) (dsl.Value, []dsl.Value) {
				return dsl.Value{}, []dsl.Value{x}
			}, g.Const(1))
		}, `there is no operator "Nothing" in ai.onnx`},
		"a loop that drops a value": {func(g *dsl.Graph) {
			g.Loop(g.Const(3), func(g *dsl.Graph, i dsl.Value, x []dsl.Value) (dsl.Value, []dsl.Value) { return dsl.Value{}, nil }, g.Const(1))
		}, `Loop: the body gives 0 values to the next time, want 1`},
		"an output in a branch": {func(g *dsl.Graph) {
			x := g.Input("x", dsl.Float32())
			give := func(g *dsl.Graph) []dsl.Value { return []dsl.Value{x} }
			g.If(g.Input("c", dsl.Bool()), func(g *dsl.Graph) []dsl.Value { g.Output("y", x); return give(g) }, give)
		}, `output "y" stands inside the If at dsl/errors_test.go:N: give what comes out of that`},
		"an input in a branch": {func(g *dsl.Graph) {
			x := g.Input("x", dsl.Float32())
			give := func(g *dsl.Graph) []dsl.Value { return []dsl.Value{x} }
			g.If(g.Input("c", dsl.Bool()), func(g *dsl.Graph) []dsl.Value { g.Input("late", dsl.Float32()); return give(g) }, give)
		}, `input "late" stands inside the If at dsl/errors_test.go:N: take it before`},
		"a value carried from nothing": {func(g *dsl.Graph) { g.Rounds(2).Carry("x", dsl.Value{}) }, `Carry "x": `},
		"a next value of nothing": {func(g *dsl.Graph) {
			r := g.Rounds(2)
			x := r.Carry("x", g.Const(1))
			r.Next(x, x)
			r.Next(x, dsl.Value{})
		}, `Next: `},
		"two next values": {func(g *dsl.Graph) { r := g.Rounds(2); x := r.Carry("x", g.Const(1)); r.Next(x, x); r.Next(x, x) },
			`Next: x is given twice`},
		"a next value of another type": {func(g *dsl.Graph) {
			r := g.Rounds(2)
			x := r.Carry("x", g.Const(1))
			r.Next(x, x)
			r.Next(r.Number(), x)
		}, `Next: `},
		"two ends of a loop": {func(g *dsl.Graph) { r := g.Rounds(2); done := g.Const(true); r.Until(done); r.Until(done) }, `Until is said twice`},
	} {
		t.Run(name, func(t *testing.T) { isMistake(t, c.client, nil, c.want) })
	}
}

// TestMistakenPrograms shows the errors for programs as a whole.
func TestMistakenPrograms(t *testing.T) {
	nothing := client{func(g *dsl.Graph) { g.Pulse() }}
	for want, p := range map[string]dsl.Program{
		"the program has no name":          {Modules: []dsl.Module{nothing}},
		"program p has no modules":         {Name: "p"},
		"a module is nil":                  {Name: "p", Modules: []dsl.Module{nil}},
		"two modules are for class client": {Name: "p", Modules: []dsl.Module{nothing, nothing}},
	} {
		if _, err := dsl.Build(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// replica is a module of which several classes may be.
type replica struct {
	class string
	by    float32
}

func (r replica) Class() string { return r.class }

func (r replica) Body(g *dsl.Graph) { g.Output("y", g.Mul(g.Input("x", dsl.Float32()), g.Const(r.by))) }

// helper is a module that others call.
type helper struct{}

func (helper) Body(g *dsl.Graph) { g.Output("y", g.Neg(g.Input("x", dsl.Float32()))) }

// relay has a name of its own, which may be like that of a call.
type relay struct{ name string }

func (c relay) Name() string { return c.name }

func (c relay) Body(g *dsl.Graph) {
	g.Output("y", g.Call(helper{}, dsl.Args{"x": g.Input("x", dsl.Float32())}).Output("y"))
}

// Modules of one type, and those with names like those of calls, are modules of their own.
func TestModuleNames(t *testing.T) {
	for _, modules := range [][]dsl.Module{{replica{"a", 2}, replica{"b", 3}}, {relay{"a"}, relay{"a_helper"}}, {relay{"a_helper"}, relay{"a"}}} {
		m, err := dsl.Record(dsl.Program{Name: "p", Modules: modules})
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Main.Body.Results) != 2 {
			t.Errorf("%v: %d results, want 2", modules, len(m.Main.Body.Results))
		}
	}
}
