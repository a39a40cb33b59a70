package randomprogram

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/partitioner/interpret"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// evaluator computes values of a program that nobody has cut: a value is a function of the place where it is read, and of
// nothing that has happened before. It knows neither executions nor blocks.
type evaluator struct {
	m     *ir.Module
	peers interpret.Peers
	nodes []*ir.Node
	known map[read]result
}

// place is where a value is read.
type place struct {
	peer   *interpret.Peer
	from   *interpret.Peer // the sender, of a value that each of many peers sends
	rounds *ir.Node        // the loop that the value is in
	round  int
}

type read struct {
	v  *ir.Value
	at place
}

type result struct {
	x   any
	err error
}

var (
	errNever   = errors.New("the value does not come")
	errOrder   = errors.New("the value depends on the order of events")
	errUnknown = errors.New("the value cannot be computed alone")
)

// bundle is several values as one.
type bundle []any

// inRounds is the error of a value that has to be read in rounds, and of each sender that of a value of each of many peers.
type (
	inRounds   struct{ n *ir.Node }
	eachSender struct{ n *ir.Node }
)

func (e inRounds) Error() string   { return "the value is in rounds" }
func (e eachSender) Error() string { return "the value is of each sender" }

func newEvaluator(m *ir.Module, peers interpret.Peers) *evaluator {
	return &evaluator{m, peers, m.Main.Body.Nodes, map[read]result{}}
}

// value returns v as it is read at a place.
func (e *evaluator) value(v *ir.Value, at place) (any, error) {
	if v.IsConst() {
		return v.Const, nil
	}
	key := read{v, at}
	r, ok := e.known[key]
	if !ok {
		e.known[key] = result{err: errOrder} // of a value that depends on itself
		r.x, r.err = e.compute(v, at)
		e.known[key] = r
	}
	return r.x, r.err
}

func (e *evaluator) compute(v *ir.Value, at place) (any, error) {
	if v.Def == nil {
		return e.input(v, at)
	}
	n := v.Def
	i := slices.Index(n.Out, v)
	switch k := op.PeerKindOf(n); {
	case n.Op == "Bundle" || n.Op == "Unbundle":
		return e.bundled(n, i, at)
	case k == 0:
		return e.plain(n, i, at)
	case k == op.KindOpen:
		return e.opened(n, i, at)
	case k == op.KindSend:
		return e.received(i, []*ir.Node{n}, nil, at)
	case k == op.KindRecv:
		return e.arrived(n, i, at)
	case k == op.KindFirst:
		return e.first(n, i, at)
	case k == op.KindOrder:
		in, err := e.inputs(n, at)
		if err != nil {
			return nil, err
		}
		return in[0], nil
	case k == op.KindNext || k == op.KindEmit:
		return nil, errUnknown
	}
	if i == 0 {
		if peers := e.peers.Named(n, at.peer); peers != nil {
			_, err := e.inputs(n, at)
			return peers, err
		}
	}
	if n.Op == "Sleep" {
		return e.value(n.In[0], at)
	}
	return e.called(n, i, at)
}

// input returns an input of a class, which another class sends, or the host passes.
func (e *evaluator) input(v *ir.Value, at place) (any, error) {
	if sends := e.feeding(v); len(sends) > 0 {
		return e.received(0, sends, nil, at)
	}
	return e.peers.Made(v.Type, nil, 7), nil
}

// feeding returns the nodes that send an input.
func (e *evaluator) feeding(input *ir.Value) (sends []*ir.Node) {
	for _, s := range e.nodes {
		if op.PeerKindOf(s) == op.KindSend && s.Str("to")+"."+s.Str("port") == input.Name {
			sends = append(sends, s)
		}
	}
	return sends
}

// inputs returns what a node reads.
func (e *evaluator) inputs(n *ir.Node, at place) ([]any, error) {
	in := make([]any, len(n.In))
	var failed error
	for i, v := range n.In {
		if v == nil {
			continue
		}
		x, err := e.value(v, at)
		if err != nil && (failed == nil || failed == errOrder) {
			failed = err
		}
		in[i] = x
	}
	return in, failed
}

// bundled returns an output of a node that combines values, or takes them apart.
func (e *evaluator) bundled(n *ir.Node, i int, at place) (any, error) {
	in, err := e.inputs(n, at)
	if err != nil {
		return nil, err
	}
	if n.Op == "Bundle" {
		return bundle(in), nil
	}
	if parts, ok := in[0].(bundle); ok {
		return parts[i], nil
	}
	return nil, errUnknown
}

// plain evaluates a node that computes.
func (e *evaluator) plain(n *ir.Node, i int, at place) (any, error) {
	args := (&ir.Region{Nodes: []*ir.Node{n}}).Captures()
	in := make([]tensor.Value, len(args))
	for k, v := range args {
		x, err := e.value(v, at)
		if err != nil {
			return nil, err
		}
		t, ok := x.(tensor.Value)
		if !ok {
			return nil, errUnknown
		}
		in[k] = t
	}
	m := &ir.Module{Main: &ir.Func{Name: "node", Body: &ir.Region{Params: args, Nodes: []*ir.Node{n}, Results: n.Out[i : i+1]}}, Opsets: e.m.Opsets}
	f := m.Clone().Main
	for _, p := range f.Body.Params {
		p.Def = nil
	}
	out, err := evaluated(f, in)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errUnknown, n, err)
	}
	return out[0], nil
}

// evaluated runs a function. Of what it reads only the elements are known, so kernels may panic for other sizes.
func evaluated(f *ir.Func, in []tensor.Value) (out []tensor.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return eval.Run(f, in)
}

// opened returns an output of a node that begins executions.
func (e *evaluator) opened(n *ir.Node, i int, at place) (any, error) {
	switch {
	case interpret.Begins(n):
		return nil, nil
	case n.Op != "Rounds":
		return nil, errNever
	case at.rounds == nil:
		return nil, inRounds{n}
	case at.rounds != n:
		return nil, errUnknown
	case i == 0:
		return &tensor.Tensor{DType: tensor.Int64, Shape: []int{}, Data: []int64{int64(at.round)}}, nil
	case at.round == 0:
		return e.value(n.In[i-1], place{peer: at.peer})
	}
	next := e.next(n)
	if next == nil {
		return nil, errNever
	}
	at.round--
	return e.value(next.In[i], at)
}

// next returns the end of a round, or nil.
func (e *evaluator) next(rounds *ir.Node) *ir.Node {
	i := slices.IndexFunc(e.nodes, func(n *ir.Node) bool {
		return n.Op == "Next" && n.Str("name") == rounds.Str("name") && n.Class == rounds.Class
	})
	if i < 0 {
		return nil
	}
	return e.nodes[i]
}

// arrived returns an output of a Recv.
func (e *evaluator) arrived(n *ir.Node, i int, at place) (any, error) {
	if n.Arg(0) == nil {
		return e.received(i, e.sends(n), nil, at)
	}
	if at.from == nil {
		return nil, eachSender{n}
	}
	return e.received(i, e.sends(n), at.from, at)
}

// received returns output i of the end of an edge, from the given peer or whoever sends.
func (e *evaluator) received(i int, sends []*ir.Node, from *interpret.Peer, at place) (any, error) {
	var found []result
	for _, s := range sends {
		for _, p := range e.peers {
			if p.Class != s.Class || from != nil && p != from {
				continue
			}
			there := place{peer: p, rounds: at.rounds, round: at.round}
			in, err := e.inputs(s, there)
			if err == errNever {
				continue
			}
			if err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(in[1:], func(to any) bool { return to != nil && slices.Contains(interpret.List(to), at.peer) }) {
				continue
			}
			if i == 1 {
				in[0] = p
			}
			found = append(found, result{x: in[0]})
		}
	}
	switch len(found) {
	case 0:
		return nil, errNever
	case 1:
		return found[0].x, nil
	}
	return nil, errOrder
}

// first returns an output of a node that takes what comes first.
func (e *evaluator) first(n *ir.Node, i int, at place) (any, error) {
	if i > 0 {
		return nil, errOrder
	}
	var all []any
	for _, v := range n.In {
		x, err := e.value(v, at)
		if err == errNever {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	if len(all) == 0 {
		return nil, errNever
	}
	for _, x := range all[1:] {
		if shown(x) != shown(all[0]) {
			return nil, errOrder
		}
	}
	return all[0], nil
}

// called returns an output of a method.
func (e *evaluator) called(n *ir.Node, i int, at place) (any, error) {
	in, err := e.inputs(n, at)
	if err != nil {
		return nil, err
	}
	fake := interpret.NewFake(e.peers)
	if op.PeerKindOf(n) == op.KindGather {
		if err := e.contributions(fake, n, at); err != nil {
			return nil, err
		}
	}
	from := at.from
	if from == nil {
		from = at.peer
	}
	out, err := fake.Call(at.peer, n, from, in)
	if err != nil {
		return nil, err
	}
	return out[i], nil
}

// contributions contributes the value of each of the peers that a gather waits for, in their order.
func (e *evaluator) contributions(fake *interpret.Fake, gather *ir.Node, at place) error {
	folds := e.before(gather, op.KindFold)
	if len(folds) != 1 {
		return errUnknown
	}
	recvs := e.before(folds[0], op.KindRecv)
	recvs = slices.DeleteFunc(recvs, func(n *ir.Node) bool { return n.Arg(0) == nil })
	if len(recvs) != 1 {
		return errUnknown
	}
	x, err := e.value(recvs[0].In[0], at)
	if err != nil {
		return err
	}
	all := slices.Clone(interpret.List(x))
	slices.SortFunc(all, func(a, b *interpret.Peer) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Rank, b.Rank))
	})
	for _, p := range all {
		there := at
		there.from = p
		in, err := e.inputs(folds[0], there)
		if err != nil {
			return err
		}
		if _, err := fake.Call(at.peer, folds[0], p, in); err != nil {
			return err
		}
	}
	return nil
}

// begun reports whether v depends on something that begins an execution, or on a message that does. Another value
// may be given in any execution of its class, or in none.
func (e *evaluator) begun(v *ir.Value) bool {
	seen := map[*ir.Value]bool{}
	var visit func(v *ir.Value) bool
	visit = func(v *ir.Value) bool {
		switch {
		case v == nil || v.IsConst() || seen[v]:
			return false
		case v.Def == nil:
			sends := e.feeding(v)
			seen[v] = true
			return len(sends) == 0 || slices.ContainsFunc((&ir.Region{Nodes: sends}).Captures(), visit)
		}
		seen[v] = true
		from := []*ir.Node{v.Def}
		switch op.PeerKindOf(v.Def) {
		case op.KindOpen:
			return (v.Def.Op == "Rounds" || interpret.Begins(v.Def)) && !slices.ContainsFunc(v.Def.In, func(first *ir.Value) bool { // of rounds
				return first != nil && !first.IsConst() && !visit(first)
			})
		case op.KindRecv:
			from = append(from, e.sends(v.Def)...)
		}
		return slices.ContainsFunc((&ir.Region{Nodes: from}).Captures(), visit)
	}
	return visit(v)
}

// sends returns the nodes that send what a Recv receives.
func (e *evaluator) sends(recv *ir.Node) (sends []*ir.Node) {
	for _, s := range e.nodes {
		if op.PeerKindOf(s) == op.KindSend && s.Str("port") == recv.Str("port") {
			sends = append(sends, s)
		}
	}
	return sends
}

// before returns the nodes of a kind that n reads, directly or through others on the same peer.
func (e *evaluator) before(n *ir.Node, kind op.PeerKind) (found []*ir.Node) {
	seen := map[*ir.Node]bool{}
	var visit func(n *ir.Node)
	visit = func(n *ir.Node) {
		for _, v := range n.In {
			if v == nil || v.Def == nil || seen[v.Def] {
				continue
			}
			d := v.Def
			seen[d] = true
			if op.PeerKindOf(d) == kind {
				found = append(found, d)
				continue
			}
			if op.PeerKindOf(d) != op.KindSend {
				visit(d)
			}
		}
	}
	visit(n)
	return found
}
