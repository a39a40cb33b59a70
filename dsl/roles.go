package dsl

import (
	"errors"
	"fmt"
	"time"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// Aggregator is a slot for a component that combines the values of many peers into one.
type Aggregator struct {
	Name string
	Bind Binding
	at   *slot
}

func (s *Aggregator) parts() (string, *string, *Binding, **slot) {
	return "aggregator", &s.Name, &s.Bind, &s.at
}

// Contribute passes a peer's value to the aggregator: an input with [From]. The weight may be omitted. The
// component's method
//
//	Contribute(from wire.PeerID, x tensor.Dense[float32], weight float32) error
//
// is called for one peer after the other, and borrows x. If it takes a *values.Large[float32], it reads large
// contributions in parts and need not hold any of them in memory. If the component's methods take a
// context.Context first, they are commands: the command that aggregates reads the contributions outside the
// peer's event loop.
//
// An error of the method refuses the contribution of that peer: it is not counted for the quorum, and an event names
// the peer and gives the error. Any size may arrive where the type of x is open: a component that also is a
// runtime.Shaped learns the shape of the model before peers are asked, and refuses other shapes.
//
// A component that also is a runtime.Gatherer is told the execution of each contribution. Then contributions of
// a failed execution are in no later aggregate.
func (s Aggregator) Contribute(g *Graph, x, weight Value, opts ...CallOption) Value {
	in := []Value{x}
	if weight.value != nil {
		in = append(in, weight)
	}
	return g.call1(&s, peer.AggregatorContribute, "contributed", nil, opts, in...)
}

// All is the [Quorum] of all peers that were asked.
const All = 0

// Quorum sets how many contributions are enough when the time is up. If fewer peers are asked, or fewer
// remain that have not failed, the aggregation fails at once.
//
// If a peer was down or too slow to receive the question before the execution ended, it never receives it.
// When it returns, it is asked in the current round only, and not in the rounds that it missed.
func Quorum(k int) CallOption {
	return optionFunc(func(c *callOptions) {
		if k < 0 {
			c.err = fmt.Errorf("the quorum is %d, want 1 or more, or All", k)
		}
		c.attrs.Set("quorum", int64(k))
	})
}

// Within limits how long contributions are waited for. The time starts when the question has been sent that
// they answer, or, if there is no question, when the peers are known. By default, the limit is estimated from
// earlier answers, starting with a minute, and the quorum is waited for as long as one of the missing peers
// is up. The limit is at most an hour.
func Within(d time.Duration) CallOption {
	return optionFunc(func(c *callOptions) {
		if d <= 0 {
			c.err = fmt.Errorf("Within is %v, want more than 0", d)
		}
		c.attrs.Set("within", d.Nanoseconds())
	})
}

// Aggregate returns the combined contributions. [Quorum] sets how many are enough. The result of the
// component's method
//
//	Aggregate() (tensor.Dense[float32], error)
//
// becomes the caller's: the component must not write to its memory again. Its error fails the round, and the loop
// ends: [IfShort] is only for rounds without a quorum.
func (s Aggregator) Aggregate(g *Graph, contributed Value, opts ...CallOption) Value {
	return s.aggregate(g, peer.AggregatorAggregate, []string{"aggregate"}, contributed, opts)[0]
}

// AggregateWeighted is like [Aggregator.Aggregate], and also returns the sum of the weights.
func (s Aggregator) AggregateWeighted(g *Graph, contributed Value, opts ...CallOption) (x, weight Value) {
	out := s.aggregate(g, peer.AggregatorAggregateWeighted, []string{"aggregate", "weight"}, contributed, opts)
	return out[0], out[1]
}

var errQuorum = errors.New("how many peers are enough? Say Quorum(k), or Quorum(All)")

func (s Aggregator) aggregate(g *Graph, o *op.Op, names []string, contributed Value, opts []CallOption) []Value {
	opts = append([]CallOption{optionFunc(func(c *callOptions) { c.attrs.Set("within", int64(0)) })}, opts...)
	opts = append(opts, optionFunc(func(c *callOptions) {
		if c.attrs.Lookup("quorum") == nil && c.err == nil {
			c.err = errQuorum
		}
	}))
	return g.call(&s, o, names, nil, opts, contributed)
}

// CodecSlot is a slot for a component that encodes values for sending.
type CodecSlot struct {
	Name string
	Bind Binding
	at   *slot
}

func (s *CodecSlot) parts() (string, *string, *Binding, **slot) {
	return "codec", &s.Name, &s.Bind, &s.at
}

// Train fits the codec to samples.
func (s CodecSlot) Train(g *Graph, samples Value, opts ...CallOption) Value {
	return g.call1(&s, peer.CodecTrain, "trained", nil, opts, samples)
}

// Encode returns x encoded: bytes, unless a [Type] says otherwise.
func (s CodecSlot) Encode(g *Graph, x Value, opts ...CallOption) Value {
	return g.call1(&s, peer.CodecEncode, "encoded", nil, opts, x)
}

// Decode returns the decoded x: float32, unless a [Type] says otherwise.
func (s CodecSlot) Decode(g *Graph, x Value, opts ...CallOption) Value {
	return g.call1(&s, peer.CodecDecode, "decoded", nil, opts, x)
}

// decodeAs is like Decode, for a result that replaces a value of type as.
func (s CodecSlot) decodeAs(g *Graph, x Value, as ir.Type) Value {
	return s.Decode(g, x, typeLike(as))
}

// typeLike returns the type of a tensor like t, with [Any] for sizes that vary.
func typeLike(t ir.Type) Type {
	dims := make([]any, len(t.Shape))
	for i, d := range t.Shape {
		dims[i] = Any
		if c, ok := d.Const(); ok {
			dims[i] = c
		}
	}
	return Tensor(t.Elem, dims...)
}

// DataSource is a slot for a source of batches.
type DataSource struct {
	Name string
	Bind Binding
	at   *slot
}

func (s *DataSource) parts() (string, *string, *Binding, **slot) {
	return "data_source", &s.Name, &s.Bind, &s.at
}

// NextBatch returns a batch and its labels. Types for the two may follow.
func (s DataSource) NextBatch(g *Graph, opts ...CallOption) (batch, labels Value) {
	out := g.call(&s, peer.DataNextBatch, []string{"batch", "labels"}, nil, opts)
	return out[0], out[1]
}

// Reset restarts the source at the first batch.
func (s DataSource) Reset(g *Graph, opts ...CallOption) Value {
	return g.call1(&s, peer.DataReset, "reset", nil, opts)
}

// OnDataLoaded tells the source that its data are loaded.
func (s DataSource) OnDataLoaded(g *Graph, opts ...CallOption) Value {
	return g.call1(&s, peer.DataOnDataLoaded, "loaded", nil, opts)
}

// Samples returns the number of samples as a weight: float32[].
func (s DataSource) Samples(g *Graph, opts ...CallOption) Value {
	return g.call1(&s, peer.DataSamples, "samples", nil, opts)
}

// Index is a slot for a searchable set of vectors.
type Index struct {
	Name string
	Bind Binding
	at   *slot
}

func (s *Index) parts() (string, *string, *Binding, **slot) { return "index", &s.Name, &s.Bind, &s.at }

// Add adds a vector and returns its number.
func (s Index) Add(g *Graph, vector Value, opts ...CallOption) Value {
	return g.call1(&s, peer.IndexAdd, "id", nil, opts, vector)
}

// Search finds the k nearest vectors.
func (s Index) Search(g *Graph, query Value, k int, opts ...CallOption) (ids, distances Value) {
	if k < 1 {
		g.r.fail("Search: k is %d, want 1 or more", k)
		out := g.bad(2)
		return out[0], out[1]
	}
	out := g.call(&s, peer.IndexSearch, []string{"ids", "distances"}, attrs("k", k), opts, query)
	return out[0], out[1]
}

// Remove removes a vector.
func (s Index) Remove(g *Graph, id Value, opts ...CallOption) Value {
	return g.call1(&s, peer.IndexRemove, "removed", nil, opts, id)
}

// Train fits the index to samples.
func (s Index) Train(g *Graph, samples Value, opts ...CallOption) Value {
	return g.call1(&s, peer.IndexTrain, "trained", nil, opts, samples)
}

// PeerSelector is a slot for a component that selects peers of the class Of.
type PeerSelector struct {
	Name string
	Of   string
	Bind Binding
	at   *slot
}

func (s *PeerSelector) parts() (string, *string, *Binding, **slot) {
	return "peer_selector", &s.Name, &s.Bind, &s.at
}

// SelectRandom selects n peers at random.
func (s PeerSelector) SelectRandom(g *Graph, n int, opts ...CallOption) Value {
	return s.peers(g, peer.SelectorSelect, attrs("kind", "random", "n", n), n, opts)
}

// SelectAll selects all peers.
func (s PeerSelector) SelectAll(g *Graph, opts ...CallOption) Value {
	return s.peers(g, peer.SelectorSelect, attrs("kind", "all", "n", 0), 1, opts)
}

// SelectNear selects the n peers nearest to a key.
func (s PeerSelector) SelectNear(g *Graph, key Value, n int, opts ...CallOption) Value {
	return s.peers(g, peer.SelectorSelectNear, attrs("n", n), n, opts, key)
}

// Sample draws n peers.
func (s PeerSelector) Sample(g *Graph, n int, opts ...CallOption) Value {
	return s.peers(g, peer.SelectorSample, attrs("n", n), n, opts)
}

// CurrentView returns all peers that the selector knows.
func (s PeerSelector) CurrentView(g *Graph, opts ...CallOption) Value {
	return s.peers(g, peer.SelectorCurrentView, nil, 1, opts)
}

// Call calls a method of the selector with one output, of the given type. The method may take what peers have answered,
// for later selections.
func (s PeerSelector) Call(g *Graph, method string, out Type, in ...Value) Value {
	return s.CallN(g, method, []Type{out}, in...)[0]
}

// CallN calls a method of the selector with an output of each given type.
func (s PeerSelector) CallN(g *Graph, method string, outs []Type, in ...Value) []Value {
	return g.ownCall(&s, peer.SelectorCall, method, outs, in)
}

func (s PeerSelector) peers(g *Graph, o *op.Op, a ir.Attrs, n int, opts []CallOption, in ...Value) Value {
	switch {
	case s.Of == "":
		return g.r.fail("%s: peers of which class? Set Of in the slot", o.Name)
	case n < 1:
		return g.r.fail("%s: %d peers, want 1 or more", o.Name, n)
	}
	a.Set("class", s.Of)
	out := g.call1(&s, o, "selected", a, opts, in...)
	if !out.bad {
		out.peers = &class{name: s.Of}
	}
	return out
}
