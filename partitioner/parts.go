package partitioner

import (
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// Part is a stage of a plain model as a model of its own, such as one to be trained.
type Part struct {
	Module *ir.Module

	// Received is the number of inputs that are outputs of the stage before, in the same order. The further inputs
	// are those of the whole model that the stage reads, whose numbers are in Inputs.
	Received int
	Inputs   []int
}

// Parts cuts a plain model into models of consecutive stages. It chooses the cut as [Split] does. Each stage receives
// values from the one before only, and sends values to the one after only: values for later stages pass through.
// The last stage has the outputs of the model. The model itself is not changed.
//
// Constants that several stages read are in each of them. One for which alone returns true is in one stage, with all
// operators that read it: such as statistics, of which copies would become different.
func Parts(m *ir.Module, opt SplitOptions, alone func(constant *ir.Value) bool) ([]*Part, *Stages, error) {
	opt = opt.withDefaults()
	if err := opt.check(m); err != nil {
		return nil, nil, err
	}
	s := newSplitter(m, opt)
	s.readResults()
	s.chain(alone)
	ends := s.best()
	if ends == nil {
		return nil, nil, fmt.Errorf("%s: it cannot be cut into %d stages to be trained: %s", source(m), opt.Stages, s.whyNoParts(alone))
	}
	s.place(ends)
	out := s.table()
	parts := make([]*Part, opt.Stages)
	from := 0
	for k, end := range ends {
		parts[k] = s.part(k, from, end)
		if err := ir.Verify(parts[k].Module); err != nil {
			panic(fmt.Sprintf("BUG: after stages: %v", err))
		}
		st := &out.Stages[k]
		st.BytesIn, st.BytesOut = s.sentBefore(from), s.sentBefore(end)
		from = end
	}
	return parts, out, nil
}

// readResults makes the last node a reader of the model's results, which the last stage returns.
func (s *splitter) readResults() {
	for _, v := range s.m.Main.Body.Results {
		if _, ok := s.def[v]; ok {
			s.last[v] = len(s.nodes) - 1
		}
	}
}

// The work of a training step in runs of the model: the backward pass takes about as long as two forward passes and
// comes after a second one, as stages keep no values but their inputs. Each value that is sent has a gradient, which is
// sent back.
const (
	runsPerStep  = 4
	sendsPerStep = 2
)

// chain computes the costs of a training step, in which each stage sends to the next one only. Inputs of the model
// cost nothing. A cut is impossible where a value crosses that cannot be an input of a model, and between two
// readers of a constant that must be alone.
func (s *splitter) chain(alone func(*ir.Value) bool) {
	for i := range s.seconds {
		s.seconds[i] *= runsPerStep
	}
	for i := 1; i < len(s.nodes); i++ {
		s.cross[i] = sendsPerStep * float64(s.sentBefore(i)) / s.opt.Bandwidth
		if !slices.ContainsFunc(s.sent(i), func(v *ir.Value) bool { return !s.enters(v) }) {
			continue
		}
		s.cross[i] = math.Inf(1)
	}
	for v, at := range s.readers() {
		if !alone(v) {
			continue
		}
		for i := at[0] + 1; i <= at[len(at)-1]; i++ {
			s.cross[i] = math.Inf(1)
		}
	}
}

// readers returns the nodes that read each constant, in order.
func (s *splitter) readers() map[*ir.Value][]int {
	out := map[*ir.Value][]int{}
	for i, list := range s.consts {
		for _, v := range list {
			out[v] = append(out[v], i)
		}
	}
	return out
}

// enters reports whether a value can be an input of a model: a tensor whose sizes are fixed, or sizes of the
// model's inputs. Elements that are sizes must be computed in the stage that uses them.
func (s *splitter) enters(v *ir.Value) bool {
	if !sendable(v) || v.Elems != nil {
		return false
	}
	for _, d := range v.Type.Shape {
		_, fixed := d.Const()
		sym, plain := d.Symbol()
		if !fixed && !(plain && s.isInputSize(sym)) {
			return false
		}
	}
	return true
}

// isInputSize reports whether a symbol is the size of an axis of an input.
func (s *splitter) isInputSize(sym string) bool {
	return slices.ContainsFunc(s.m.Main.Body.Params, func(p *ir.Value) bool {
		return slices.ContainsFunc(p.Type.Shape, func(d ir.Dim) bool {
			name, ok := d.Symbol()
			return ok && name == sym
		})
	})
}

// sent returns the values that cross a cut before node i, in the order in which they are computed.
func (s *splitter) sent(i int) (list []*ir.Value) {
	for _, n := range s.nodes[:min(i, len(s.nodes))] {
		for _, v := range n.Out {
			if last, read := s.last[v]; read && last >= i {
				list = append(list, v)
			}
		}
	}
	return list
}

// sentBefore returns how many bytes cross a cut before node i.
func (s *splitter) sentBefore(i int) (bytes int64) {
	for _, v := range s.sent(i) {
		bytes += s.bytes(v)
	}
	return bytes
}

// whyNoParts explains why no cut is possible.
func (s *splitter) whyNoParts(alone func(*ir.Value) bool) string {
	if s.opt.PeerMemory > 0 {
		return s.why()
	}
	for _, v := range s.m.Main.Consts() {
		if at := s.readers()[v]; alone(v) && len(at) > 1 && at[len(at)-1]-at[0] > len(s.nodes)/2 {
			return fmt.Sprintf("%s and %s both read %q, which must be in one stage: want fewer stages, or a copy for each", s.nodes[at[0]], s.nodes[at[len(at)-1]], v.Name)
		}
	}
	return "at too few places, all values that cross are tensors with sizes that are fixed or those of an input: want fewer stages, or fixed sizes (--bind)"
}

// part returns stage k as a model, with the nodes from one index to before another.
func (s *splitter) part(k, from, to int) *Part {
	m := s.m.Clone()
	m.Name = fmt.Sprintf("%s.stage%d", s.m.Name, k)
	copies := sameValues(s.m.Main.Body, m.Main.Body)
	body := m.Main.Body
	p := &Part{Module: m}
	var params []*ir.Value
	if k > 0 {
		for _, v := range s.sent(from) {
			x := copies[v]
			x.Def = nil
			params = append(params, x)
		}
	}
	p.Received = len(params)
	results := body.Results
	if k < s.opt.Stages-1 {
		results = nil
		for _, v := range s.sent(to) {
			results = append(results, copies[v])
		}
	}
	inputs := body.Params
	body.Nodes, body.Results = body.Nodes[from:to], results
	for i, x := range inputs {
		if s.readsInput(k, s.m.Main.Body.Params[i]) {
			params, p.Inputs = append(params, x), append(p.Inputs, i)
		}
	}
	body.Params = params
	relay(m)
	return p
}

// readsInput reports whether a stage reads an input of the model. The first stage takes inputs that no node reads.
func (s *splitter) readsInput(k int, x *ir.Value) bool {
	read := k == s.opt.Stages-1 && slices.Contains(s.m.Main.Body.Results, x)
	anywhere := slices.Contains(s.m.Main.Body.Results, x)
	for i, list := range s.reads {
		if slices.Contains(list, x) {
			anywhere = true
			read = read || s.stage[i] == k
		}
	}
	return read || k == 0 && !anywhere
}

// sameValues returns the values of a copy by those of the original.
func sameValues(original, copied *ir.Region) map[*ir.Value]*ir.Value {
	var list []*ir.Value
	copied.Values(func(v *ir.Value) { list = append(list, v) })
	out := map[*ir.Value]*ir.Value{}
	original.Values(func(v *ir.Value) { out[v], list = list[0], list[1:] })
	return out
}

// relay computes results that are inputs by nodes of their own, since a result has the gradient of its readers in later
// stages in addition to that of its readers here.
func relay(m *ir.Module) {
	body := m.Main.Body
	for i, v := range body.Results {
		if !slices.Contains(body.Params, v) {
			continue
		}
		y := &ir.Value{Name: v.Name, Type: v.Type}
		v.Name = m.FreshName(v.Name + ".received")
		n := &ir.Node{Op: "Identity", Name: m.FreshName("pass"), In: []*ir.Value{v}, Out: []*ir.Value{y}, Version: op.Find("", "Identity").Newest()}
		y.Def = n
		body.Nodes = append(body.Nodes, n)
		body.Results[i] = y
	}
}
