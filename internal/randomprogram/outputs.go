package randomprogram

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/partitioner/interpret"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// output is what a host gets by one name. How often it gets the same value is not compared.
type output struct {
	values []string // sorted, without repetitions
	must   bool     // it does get them
}

// outputs returns what the hosts get, by class.rank.name. Outputs that cannot be known are left out.
func (e *evaluator) outputs() map[string]output {
	all := map[string]output{}
	unknown := map[string]bool{}
	for _, n := range e.nodes {
		if op.PeerKindOf(n) != op.KindEmit || n.Op == "AppNotify" || n.In[0].Type.Kind != ir.Tensor {
			continue
		}
		for _, p := range e.peers.Of(n.Class) {
			key := fmt.Sprintf("%s.%d.%s", p.Class, p.Rank, n.Str("name"))
			o := output{all[key].values, all[key].must || e.begun(n.In[0])}
			err := e.readings(n.In[0], place{peer: p}, func(x any) { o.values = append(o.values, shown(x)) })
			unknown[key] = unknown[key] || err != nil || e.isResult(n.Class+"."+n.Str("name"))
			all[key] = o
		}
	}
	for key, o := range all {
		if unknown[key] {
			delete(all, key)
			continue
		}
		o.values = distinct(o.values)
		all[key] = o
	}
	return all
}

// isResult reports whether a result of the program has this name: hosts get it by the same name as an event, if they are on its class.
func (e *evaluator) isResult(name string) bool {
	return slices.ContainsFunc(e.m.Main.Body.Results, func(v *ir.Value) bool { return v.Name == name })
}

// mayFail reports whether a kernel fails for some value of the program, or whether nobody can say that none does.
func (e *evaluator) mayFail() bool {
	for _, n := range e.nodes {
		i := slices.IndexFunc(n.Out, func(v *ir.Value) bool { return v != nil })
		if op.PeerKindOf(n) != 0 || n.Op == "Bundle" || n.Op == "Unbundle" || i < 0 {
			continue
		}
		for _, p := range e.peers.Of(n.Class) {
			if err := e.readings(n.Out[i], place{peer: p}, func(any) {}); err != nil && err != errNever {
				return true
			}
		}
	}
	return false
}

// distinct sorts values and removes repetitions.
func distinct(values []string) []string {
	slices.Sort(values)
	return slices.Compact(values)
}

// readings calls found with v in each round and of each sender.
func (e *evaluator) readings(v *ir.Value, at place, found func(x any)) error {
	x, err := e.value(v, at)
	var loop inRounds
	var each eachSender
	switch {
	case err == nil:
		found(x)
		return nil
	case errors.As(err, &loop):
		for at.rounds = loop.n; at.round < loop.n.Int("n"); at.round++ {
			if err := e.readings(v, at, found); err != nil {
				return err
			}
			if over, err := e.over(at); over || err != nil {
				return err
			}
		}
		return nil
	case errors.As(err, &each) && at.from != nil:
		return errUnknown // also at another place, which has senders of its own
	case errors.As(err, &each):
		peers, err := e.value(each.n.In[0], at)
		if err != nil {
			return err
		}
		for _, p := range interpret.List(peers) {
			at.from = p
			if err := e.readings(v, at, found); err != nil {
				return err
			}
		}
		return nil
	}
	return err
}

// over reports whether the round is the last one because of its Until.
func (e *evaluator) over(at place) (bool, error) {
	next := e.next(at.rounds)
	if next == nil {
		return true, nil
	}
	until := next.Arg(0)
	if until == nil {
		return false, nil
	}
	owner := e.peers.Of(at.rounds.Class)[0]
	x, err := e.value(until, place{peer: owner, rounds: at.rounds, round: at.round})
	if err != nil {
		return false, err
	}
	return tensor.Data[bool](x.(*tensor.Tensor))[0], nil
}

// given returns what a run gave the hosts, in the form of outputs.
func given(emitted map[string][]tensor.Value) map[string][]string {
	all := map[string][]string{}
	for key, vs := range emitted {
		for _, v := range vs {
			all[key] = append(all[key], shown(v))
		}
		all[key] = distinct(all[key])
	}
	return all
}

// shown returns a value as text. Values that are no tensors are alike.
func shown(x any) string {
	t, ok := x.(*tensor.Tensor)
	if !ok || t == nil {
		return "-"
	}
	return strings.ReplaceAll(fmt.Sprint(t.DType, t.Shape, t.Data), "-0 ", "0 ")
}
