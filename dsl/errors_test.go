package dsl_test

import (
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/dsl"
)

// body is a module with a Go function as its body.
type body func(g *dsl.Graph)

func (b body) Body(g *dsl.Graph) { b(g) }

// client is a module of class client, server of class server.
type (
	client struct{ body }
	server struct{ body }
)

// Odd is a component with fields that cannot be configured.
type Odd struct {
	Parts []Part
	Rate  float64
	at    time.Time
}

type Part struct{ F map[string]int }

// TestErrors shows the errors of authors' mistakes, one for each case.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name           string
		client, server body
		want           string
	}{
		{"no such operator", func(g *dsl.Graph) { g.Op("Reluu", nil) }, nil,
			`there is no operator "Reluu" in ai.onnx`},
		{"a value that was never set", func(g *dsl.Graph) {
			var v dsl.Value
			g.Output("y", g.Add(g.Input("x", dsl.Float32(2)), v))
		}, nil, `Add: B is a dsl.Value that was never set, and this operator needs it`},
		{"an attribute of another name", func(g *dsl.Graph) {
			g.Output("y", g.Op("LeakyRelu", dsl.Attrs{"alpa": 1}, g.Input("x", dsl.Float32(2))))
		}, nil, `LeakyRelu: has no attribute "alpa", want "alpha", a float`},
		{"an attribute of another kind", func(g *dsl.Graph) {
			g.Output("y", g.Op("Softmax", dsl.Attrs{"axis": "0"}, g.Input("x", dsl.Float32(2))))
		}, nil, `Softmax: attribute "axis" is the string "0", want an integer`},
		{"shapes that do not fit", func(g *dsl.Graph) {
			x := g.Input("x", dsl.Float32(2, 3))
			g.Output("y", g.MatMul(x, x))
		}, nil, `MatMul: `},
		{"values of two classes", func(g *dsl.Graph) {
			x := g.Input("x", dsl.Float32(2))
			g.Output("y", g.Add(x, g.NetOut("p", g.Peers("server"), x)))
		}, func(g *dsl.Graph) {},
			`Add: client/p is on peers of class server, and what comes before it on client: send one of them with NetOut`},
		{"peers that another class knows", func(g *dsl.Graph) {
			g.NetOut("p", g.On("server").Peers("client"), g.Input("x", dsl.Float32(2)))
		}, func(g *dsl.Graph) {},
			`Send: client/clients is on peers of class server, and what comes before it on client: make it there, with g.On("client")`},
		{"an edge that nobody reads", func(g *dsl.Graph) {
			g.NetOut("p", g.Peers("server"), g.Const(1))
		}, func(g *dsl.Graph) { g.Input("q", dsl.Int64()) },
			`NetOut "p" to class server feeds nothing: its module has no input "p"; it has q`},
		{"peers of no class", func(g *dsl.Graph) { g.NetOut("p", g.Peers(""), g.Const(1)) }, nil,
			`Peers: peers of which class?`},
		{"a peer of no class", func(g *dsl.Graph) { g.NetOut("p", g.PeerInTurn(""), g.Const(1)) }, nil,
			`PeerInTurn: peers of which class?`},
		{"a protocol with no class", func(g *dsl.Graph) {
			dsl.Protocol{Name: "gossip"}.Ask(g, "p", "", time.Second)
		}, nil, `Tick: peers of which class?`},
		{"an edge to nowhere", func(g *dsl.Graph) {
			g.NetOut("p", g.Peers("sever"), g.Const(1))
		}, func(g *dsl.Graph) {},
			`NetOut "p" to class sever feeds nothing: no module is for that class; there are client, server; did you mean "server"?`},
		{"an edge to nowhere that is named", func(g *dsl.Graph) {
			g.NetOut("p", g.Input("to", dsl.PeerType), g.Const(1), dsl.To("sever"))
		}, func(g *dsl.Graph) {},
			`NetOut "p" to class sever feeds nothing: no module is for that class; there are client, server; did you mean "server"?`},
		{"a peer in turn of no class", func(g *dsl.Graph) { g.AppEmit("peer", g.PeerInTurn("sever")) }, func(g *dsl.Graph) { g.Pulse() },
			`no peers are of class "sever"; there are client, server; did you mean "server"?`},
		{"a clock of no class", func(g *dsl.Graph) { g.AppEmit("now", g.On("sever").Clock()) }, func(g *dsl.Graph) { g.Pulse() },
			`no peers are of class "sever"; there are client, server; did you mean "server"?`},
		{"a slot of no class", func(g *dsl.Graph) {
			g.AppEmit("params", dsl.Model{Name: "m", Bind: part}.Params(g.On("sever")))
		}, func(g *dsl.Graph) { g.Pulse() },
			`no peers are of class "sever"; there are client, server; did you mean "server"?`},
		{"peers of no class", func(g *dsl.Graph) { g.AppEmit("peers", g.Peers("sever")) }, nil,
			`no peers are of class "sever"; there are client`},
		{"an edge of another type", func(g *dsl.Graph) {
			g.NetOut("p", g.Peers("server"), g.Const([]float32{1, 2}))
		}, func(g *dsl.Graph) { g.Input("p", dsl.Float32(3)) },
			`NetOut "p": the input at dsl/errors_test.go:N: got float32[2], want float32[3]`},
		{"an input that is expected and never comes", func(g *dsl.Graph) {
			g.Input("p", dsl.Float32(), dsl.From(g.Peers("client")))
		}, nil, `input "p" is to come from peers, and no NetOut of the program feeds it`},
		{"named peers that nobody takes it from", func(g *dsl.Graph) {
			g.NetOut("p", g.Input("to", dsl.PeerType), g.Const(1))
		}, func(g *dsl.Graph) { g.Input("q", dsl.Int64()) },
			`NetOut "p": no module has an input of that name: say of which class the peers are, with To`},
		{"named peers of one class or another", func(g *dsl.Graph) {
			g.NetOut("p", g.Input("to", dsl.PeerType), g.Input("p", dsl.Int64()))
		}, func(g *dsl.Graph) { g.AppEmit("p", g.Input("p", dsl.Int64())) },
			`NetOut "p": the peers may be of class client or server, which have an input of that name: say which, with To`},
		{"peers of another class than is said", func(g *dsl.Graph) {
			g.NetOut("p", g.Peers("server"), g.Const(1), dsl.To("client"))
		}, func(g *dsl.Graph) {},
			`NetOut "p": To says class client, and client/servers are of class server`},
		{"a Go type that peers cannot name", func(g *dsl.Graph) { g.Input("x", dsl.GoType(early{}, 8)) }, nil,
			`input "x": GoType(dsl_test.early): a peer cannot name the type: export it`},
		{"a Go type of nothing", func(g *dsl.Graph) { g.Input("x", dsl.GoType(nil, 8)) }, nil,
			`input "x": GoType(<nil>): want a type that a package declares, without type parameters`},
		{"a Go type without room", func(g *dsl.Graph) { g.Input("x", dsl.GoType(Part{}, 0)) }, nil,
			`input "x": GoType(dsl_test.Part): at most 0 bytes, want 1 or more`},
		{"no peers", func(g *dsl.Graph) { g.NetOut("p", g.Const(1), g.Const(1), dsl.To("client")) }, nil,
			`NetOut "p": client/const is int64[], want peers`},
		{"an answer to nobody", func(g *dsl.Graph) {
			x := g.Input("x", dsl.Float32())
			g.NetOut("p", g.Sender(x), x)
		}, nil, `NetOut "p" goes to the senders of client.x, and no NetOut feeds that input`},
		{"no quorum", func(g *dsl.Graph) {
			a := dsl.Aggregator{Name: "a", Bind: part}
			a.Aggregate(g, a.Contribute(g, g.Const([]float32{1}), dsl.Value{}))
		}, nil, `Aggregate: how many peers are enough? Say Quorum(k), or Quorum(All)`},
		{"a slot without a component", func(g *dsl.Graph) { dsl.Model{Name: "m"}.Params(g) }, nil,
			`slot m (model) of class client has no component: set its Bind, to dsl.Go(…) of a Go value`},
		{"a slot without a name", func(g *dsl.Graph) { dsl.Model{Bind: part}.Params(g) }, nil,
			`a model slot that is no exported field of a module needs a Name`},
		{"a component that is no struct", func(g *dsl.Graph) { dsl.Model{Name: "m", Bind: dsl.Go(3)}.Params(g) }, nil,
			`slot m: Go(int): want a value of a struct type`},
		{"a configuration that is no data", func(g *dsl.Graph) {
			dsl.Model{Name: "m", Bind: dsl.Go(Odd{Parts: []Part{{F: map[string]int{"a": 1}}}})}.Params(g)
		}, nil, `slot m: Go(dsl_test.Odd): field Parts: field F: a map[string]int cannot be written into a peer's code: want numbers, strings`},
		{"a configuration that is no number", func(g *dsl.Graph) {
			dsl.Model{Name: "m", Bind: dsl.Go(Odd{Rate: math.Inf(1)})}.Params(g)
		}, nil, `slot m: Go(dsl_test.Odd): field Rate: +Inf is no number`},
		{"a configuration that peers do not see", func(g *dsl.Graph) {
			dsl.Model{Name: "m", Bind: dsl.Go(Odd{at: time.Now()})}.Params(g)
		}, nil, `slot m: Go(dsl_test.Odd): field at has a value that peers would begin without, as it is not exported`},
		{"a graph for what is no model", func(g *dsl.Graph) {
			dsl.DataSource{Name: "d", Bind: dsl.ONNX("m.onnx", dsl.Train{})}.Reset(g)
		}, nil, `slot d is for a data_source, and is bound to an ONNX graph`},
		{"Backward of an ONNX graph without a Forward", func(g *dsl.Graph) {
			dsl.Model{Name: "m", Bind: dsl.ONNX("m.onnx", dsl.Train{})}.Backward(g, g.Input("dy", dsl.Float32(2)))
		}, nil, `Backward: there is no Forward of slot m before it in this module, which an ONNX graph computes again`},
		{"a carried value without a next", func(g *dsl.Graph) { g.Rounds(2).Carry("x", g.Const(1)) }, nil,
			`the rounds carry x, and nothing gives the next round its value: call Next`},
		{"a reduction that there is not", func(g *dsl.Graph) { g.AllReduce(g.Const([]int64{1}), g.Peers("client"), dsl.Mean) }, nil,
			`AllReduce: all_reduce: there is no mean of int64`},
		{"values of others' class", func(g *dsl.Graph) { g.AllReduce(g.Const([]float32{1}), g.Peers("server"), dsl.Sum) }, nil,
			`AllReduce: want all peers of the own class: g.Peers("client")`},
		{"an algorithm for something else", func(g *dsl.Graph) { g.AllGather(g.Const([]float32{1}), g.Peers("client"), dsl.By(dsl.Tree)) }, nil,
			`AllGather: all_gather of float32: algorithm tree does not compute that, want one of [direct ring]`},
		{"rows of a number", func(g *dsl.Graph) { g.ReduceScatter(g.Const(float32(1)), g.Peers("client"), dsl.Sum) }, nil,
			`ReduceScatter: input "client/const" is float32[], which has no rows: want an axis at least`},
		{"a step that is no number", func(g *dsl.Graph) { g.Enter(g.Const([]int64{0}), g.Peers("client"), nil) }, nil,
			`Enter: the number of the step is int64[1], want int64[]`},
		{"a policy for who is lost that there is not", func(g *dsl.Graph) { g.Barrier(g.Peers("client"), nil, dsl.IfLost(dsl.Skip)) }, nil,
			`Barrier: "skip" is none of what there is, such as fail`},
		{"a policy that there is not", func(g *dsl.Graph) { g.Rounds(2, dsl.IfShort("hope")) }, nil,
			`Rounds: attribute "short" is "hope", want one of ["skip" "repeat" "wait"]`},
		{"no patience", func(g *dsl.Graph) { g.Rounds(2, dsl.WaitAtMost(0)) }, nil,
			`Rounds: attribute "patience" is 0 and "short" is "wait", want 1 or more for a round that waits`},
		{"a carried value that comes late", func(g *dsl.Graph) {
			r := g.Rounds(2)
			g.AppEmit("n", r.Number())
			r.Carry("x", g.Const(1))
		}, nil, `Carry "x" comes after the round has begun, at dsl/errors_test.go:N: carry all values first`},
		{"two slots of one name", func(g *dsl.Graph) {
			for range 2 {
				g.Call(house{dsl.Component{Name: "sensor", Bind: part}}, nil)
			}
		}, nil, `class client has two slots called sensor, of which the other is called at dsl/errors_test.go:N: give one a Name`},
		{"a send under a condition", func(g *dsl.Graph) {
			x := g.Input("x", dsl.Float32())
			g.If(g.Less(x, g.Scalar(x, 0)), func(g *dsl.Graph) []dsl.Value {
				return []dsl.Value{g.NetOut("p", g.Peers("server"), x)}
			}, func(g *dsl.Graph) []dsl.Value { return []dsl.Value{x} })
		}, nil, `Peers: it stands inside the If at dsl/errors_test.go:N, in which peers can only compute: do it before, or for what comes out`},
		{"branches that differ", func(g *dsl.Graph) {
			x := g.Input("x", dsl.Float32(3))
			give := func(v dsl.Value) func(*dsl.Graph) []dsl.Value {
				return func(*dsl.Graph) []dsl.Value { return []dsl.Value{v} }
			}
			g.If(g.Input("c", dsl.Bool()), give(x), give(g.Const(1)))
		}, nil, `If: value 0 of the other branch: got int64[], want float32[3]`},
		{"a loop that gives back something else", func(g *dsl.Graph) {
			g.Loop(g.Const(3), func(g *dsl.Graph, i dsl.Value, x []dsl.Value) (dsl.Value, []dsl.Value) {
				return dsl.Value{}, []dsl.Value{g.Cast(x[0], 1)}
			}, g.Input("x", dsl.Int64()))
		}, nil, `Loop: what the body makes of value 0: got float32[], want int64[]`},
		{"a loop over two classes", func(g *dsl.Graph) {
			x := g.Input("x", dsl.Int64())
			there := g.NetOut("p", g.Peers("server"), x)
			g.Loop(x, func(g *dsl.Graph, i dsl.Value, y []dsl.Value) (dsl.Value, []dsl.Value) {
				return dsl.Value{}, []dsl.Value{g.Add(y[0], there)}
			}, g.Const(1))
		}, nil, `Loop: it reads what is on peers of class client, and what is on server: send one of them with NetOut`},
		{"two ways to wait", func(g *dsl.Graph) {
			g.Input("p", dsl.Float32(), dsl.From(g.Peers("client")), dsl.WaitFor(time.Second))
		}, nil, `input "p" comes from a set of peers: how long they are waited for is for Within of the aggregator to say`},
		{"no time to wait", func(g *dsl.Graph) { g.Input("p", dsl.Float32(), dsl.WaitFor(0)) }, nil, `input "p": WaitFor is 0s, want more than 0`},
		{"an unknown codec", func(g *dsl.Graph) {
			g.NetOut("p", g.Peers("client"), g.Const([]float32{1}), dsl.Codec("int4"))
		}, nil, `NetOut "p": there is no codec "int4"; there are float16, bfloat16 and int8, and Through for one of your own`},
		{"a next value that is none", func(g *dsl.Graph) {
			r := g.Rounds(2)
			r.Next(r.Carry("x", g.Const(1)), g.Op("Nothing", nil))
		}, nil, `there is no operator "Nothing" in ai.onnx`},
		{"a codec for what is no float", func(g *dsl.Graph) {
			g.NetOut("p", g.Peers("client"), g.Const(1), dsl.Codec("int8"))
		}, nil, `NetOut "p": client/const is int64[]; Codec, Clip and Via are for float32 tensors`},
		{"a module's input left out", func(g *dsl.Graph) { g.Call(Layer{Width: 2}, nil) }, nil,
			`input "x" was not given to module client_Layer, which is called at dsl/errors_test.go:N`},
		{"a module's output that is not there", func(g *dsl.Graph) {
			l := Layer{Width: 2, Encoder: dsl.Component{Name: "e", Bind: part}}
			g.Call(l, dsl.Args{"x": g.Const([]float32{1, 2}, 1, 2)}).Output("z")
		}, nil, `module Layer has no output "z"`},
		{"a size with no name", func(g *dsl.Graph) { g.Input("x", dsl.Float32("a b")) }, nil,
			`input "x": axis 0: the size is called "a b", want a name of letters, digits and underscores`},
		{"an output given twice", func(g *dsl.Graph) {
			g.Output("y", g.Const(1))
			g.Output("y", g.Const(1))
		}, nil, `output "y" is given twice`},
	} {
		t.Run(c.name, func(t *testing.T) { isMistake(t, c.client, c.server, c.want) })
	}
}

// isMistake checks that a program has one error, which begins with want and is at a line of the test. The server may
// be nil.
func isMistake(t *testing.T, of, other body, want string) {
	t.Helper()
	p := dsl.Program{Name: "wrong", Modules: []dsl.Module{client{of}}}
	if other != nil {
		p.Modules = append(p.Modules, server{other})
	}
	_, err := dsl.Build(p)
	var list dsl.Errors
	if !errors.As(err, &list) || len(list) != 1 {
		t.Fatalf("got %d errors, want one:\n%v", len(list), err)
	}
	if got := anyLine.ReplaceAllString(list[0].Msg, "errors_test.go:N"); !strings.HasPrefix(got, strings.ReplaceAll(want, "dsl/", "")) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !strings.Contains(list[0].Pos, "_test.go:") {
		t.Errorf("the error is at %q, want a line of the author's", list[0].Pos)
	}
}

// anyLine matches a line of these tests, also with -trimpath.
var anyLine = regexp.MustCompile(`(github\.com/bbgen/bbgen/dsl/)?(errors|mistakes|astray)_test\.go:\d+`)

// TestErrorsTogether checks that one mistake does not hide the next.
func TestErrorsTogether(t *testing.T) {
	_, err := dsl.Build(dsl.Program{Name: "wrong", Modules: []dsl.Module{client{func(g *dsl.Graph) {
		bad := g.Op("Nothing", nil)
		g.Output("y", g.Relu(bad)) // an error only because of the first one
		g.Input("a b", dsl.Float32())
	}}}})
	want := "errors_test.go:N: there is no operator \"Nothing\" in ai.onnx\n" +
		"errors_test.go:N: input \"a b\": want a name of letters, digits and underscores"
	if err == nil || anyLine.ReplaceAllString(err.Error(), "errors_test.go:N") != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// house has a slot.
type house struct{ Sensor dsl.Component }

func (h house) Body(g *dsl.Graph) { h.Sensor.CallN(g, "Read", nil) }

// early waits before the program begins.
type early struct{}

func (early) Body(g *dsl.Graph)      { g.AppEmit("x", g.Const(1)) }
func (early) Bootstrap(g *dsl.Graph) { g.LifecyclePhase("stopping") }

// loads has a Bootstrap, and is called where a Bootstrap cannot run.
type loads struct{}

func (loads) Body(g *dsl.Graph)      { g.Output("y", g.Neg(g.Input("x", dsl.Float32()))) }
func (loads) Bootstrap(g *dsl.Graph) { g.AppEmit("loaded", g.Const(1)) }

// caller calls a module that contains others, or passes it to a backend.
type caller struct {
	on     string
	Engine dsl.Backend
}

func (c caller) Body(g *dsl.Graph) {
	if c.on == "" {
		c.Engine.Run(g, loads{}, dsl.Args{"x": g.Const(float32(1))})
	} else {
		g.On(c.on).Call(loads{}, dsl.Args{"x": g.Const(float32(1))})
	}
}

// TestBootstrapErrors checks the errors for mistakes in a Bootstrap.
func TestBootstrapErrors(t *testing.T) {
	for _, c := range []struct {
		module dsl.Module
		want   string
	}{
		{early{}, "LifecyclePhase in a Bootstrap, which nothing else begins: wait for the phase in the Body"},
		{caller{on: "b"}, "module loads has a Bootstrap, which runs on peers of class caller, and is called for peers of class b: call it in their module"},
		{caller{Engine: dsl.Backend{Bind: part}}, "Run: module loads has a Bootstrap, which a backend does not run: call the module, or do that in the Bootstrap of the one that peers run"},
	} {
		if _, err := dsl.Build(dsl.Program{Name: "wrong", Modules: []dsl.Module{c.module}}); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	_, err := dsl.Plain("wrong", func(g *dsl.Graph) {
		g.Output("y", g.Call(loads{}, dsl.Args{"x": g.Input("x", dsl.Float32())}).Output("y"))
	})
	if want := "module loads has a Bootstrap, and a plain model runs on no peer: write a Program"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
