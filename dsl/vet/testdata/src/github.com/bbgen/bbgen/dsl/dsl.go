// Package dsl is as much of the real one as the tests of the analyzer need.
package dsl

type (
	Value        struct{ *int }
	Type         struct{}
	Graph        struct{}
	Module       interface{ Body(g *Graph) }
	Program      struct{ Modules []Module }
	Aggregator   struct{}
	PeerSelector struct{}
	Protocol     struct{}
	CallOption   interface{}
	InputOption  func()
)

const All = 0

func Quorum(k int) CallOption         { return nil }
func From(peers Value) InputOption    { return nil }
func Float32(dims ...any) Type        { return Type{} }
func (g *Graph) Add(a, b Value) Value { return a }

func (g *Graph) Split(x Value, axis int, sizes ...int) []Value        { return nil }
func (g *Graph) DeadlineMatch(x, instead Value) (v, inTime Value)     { return x, x }
func (g *Graph) Input(name string, t Type, from ...InputOption) Value { return Value{} }
func (g *Graph) NetOut(port string, peers, v Value) Value             { return v }
func (g *Graph) Output(name string, v Value)                          {}
func (g *Graph) AppEmit(name string, v Value) Value                   { return v }
func (g *Graph) Peers(class string) Value                             { return Value{} }
func (g *Graph) PeerInTurn(class string) Value                        { return Value{} }

func (s Aggregator) Contribute(g *Graph, x, weight Value, opts ...CallOption) Value { return x }
func (s Aggregator) Aggregate(g *Graph, contributed Value, opts ...CallOption) Value {
	return contributed
}
func (s PeerSelector) Sample(g *Graph, n int, opts ...CallOption) Value { return Value{} }
func (s PeerSelector) SelectNear(g *Graph, key Value, n int, opts ...CallOption) Value {
	return Value{}
}
func (s Protocol) Serve(g *Graph, port, class string) {}
