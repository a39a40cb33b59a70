package interpret

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// System runs a cut program by interpreting the partitioner's result, with all peers in one process. Fills
// and commands end in a random order, to detect programs with results that depend on it.
type System struct {
	Peers   Peers
	Emitted map[string][]tensor.Value // the host's outputs, in their order, by class.rank.name

	// Call calls a component, or the engine where a node does more than this package. From is the peer that a child frame
	// belongs to, or nil. [New] sets it to that of a [Fake].
	Call func(p *Peer, n *ir.Node, from *Peer, in []any) ([]any, error)

	prog    *partitioner.Program
	rng     *rand.Rand
	all     []*process
	pending []func() error
	execs   int
	blocks  map[string]int // the number of its runs: class.rank.module.block.execution
}

// ErrKernel is the error of a kernel that does not take its inputs, such as two sizes that turn out to differ.
var ErrKernel = errors.New("a kernel fails")

// ErrWaiting is the error of a block that has not run, because something that it waits for never comes.
var ErrWaiting = errors.New("a block still waits")

// process is a peer that runs.
type process struct {
	*Peer
	part   *partitioner.Partition
	frames map[frameKey]*frame
	queues map[int][]func() error // commands that wait for a slot
	busy   map[int]bool
}

type frameKey struct {
	exec   int
	module *partitioner.Module
	from   *Peer
}

type frame struct {
	peer     *process
	module   *partitioner.Module
	exec     int
	from     *Peer
	parent   *frame
	vals     map[*ir.Value]any
	ready    map[*partitioner.Cut]bool
	order    []*partitioner.Cut // in the order of their arrival
	fired    map[*partitioner.Block]bool
	ran      int
	senders  map[*partitioner.Cut]*Peer
	children []*frame
	expects  map[*partitioner.Cut][]*Peer
	apart    map[*ir.Node]int // executions that it has begun
}

// New makes n peers of each class, or one for classes that are not in counts. The seed determines the order of
// events.
func New(prog *partitioner.Program, seed uint64, counts map[string]int) *System {
	s := &System{prog: prog, rng: rand.New(rand.NewPCG(seed, 2)), Emitted: map[string][]tensor.Value{}, blocks: map[string]int{}}
	for _, part := range prog.Parts {
		for rank := range max(1, counts[part.Class]) {
			p := &Peer{part.Class, rank}
			s.Peers = append(s.Peers, p)
			s.all = append(s.all, &process{Peer: p, part: part, frames: map[frameKey]*frame{}, queues: map[int][]func() error{}, busy: map[int]bool{}})
		}
	}
	s.Call = NewFake(s.Peers).Call
	return s
}

// running returns the state of p.
func (s *System) running(p *Peer) *process { return s.all[slices.Index(s.Peers, p)] }

// Run starts the modules that need no input, passes the inputs to the others, and continues until there are
// no more events. A timer fires once, and peers neither stop nor have other events that begin executions. All blocks
// of all executions must have run then, each once.
func (s *System) Run(inputs map[string]tensor.Value) error {
	for _, p := range s.all {
		for _, m := range p.part.Modules {
			switch {
			case m.Parent != nil:
			case m.Start || m.Open != nil && Begins(m.Open) && len(m.Inputs) == 0:
				s.later(func() error { return s.open(p, m, nil) })
			case m.Rounds == 0 && len(m.Inputs) > 0:
				var in []any
				for _, c := range m.Inputs {
					in = append(in, inputs[c.Values[0].Name])
				}
				s.later(func() error { return s.open(p, m, in) })
			}
		}
	}
	for steps := 0; len(s.pending) > 0; steps++ {
		if steps > 1e6 {
			return fmt.Errorf("the program does not end")
		}
		i := s.rng.IntN(len(s.pending))
		f := s.pending[i]
		s.pending = slices.Delete(s.pending, i, i+1)
		if err := f(); err != nil {
			return err
		}
	}
	if err := s.ended(); err != nil {
		return err
	}
	return s.once()
}

// Begins reports whether executions that n opens begin in a system: at the start, once for a period, and in the phases
// that each peer enters. Rounds begin with their first round.
func Begins(n *ir.Node) bool {
	switch op.OpensOf(n) {
	case op.OpensAtStart, op.OpensBootstrap, op.OpensEvery:
		return true
	case op.OpensOnPhase:
		return n.Str(peer.PhaseAttr) == peer.PhaseBootstrap || n.Str(peer.PhaseAttr) == peer.PhaseRunning
	}
	return false
}

// ended checks that all blocks of all frames have run, except those that would follow a round without a
// quorum.
func (s *System) ended() error {
	for _, p := range s.all {
		for _, f := range p.frames {
			want := len(f.module.Blocks)
			if f.module.Again != nil {
				want--
			}
			if f.ran != want {
				return fmt.Errorf("%w: execution %d of %s on %s %d: %d of %d blocks have run", ErrWaiting, f.exec, f.module.Name, p.Class, p.Rank, f.ran, want)
			}
		}
	}
	return nil
}

func (s *System) later(f func() error) { s.pending = append(s.pending, f) }

// open begins an execution of a module.
func (s *System) open(p *process, m *partitioner.Module, inputs []any) error {
	s.execs++
	f := s.frame(p, m, s.execs, nil)
	for i, c := range m.Inputs {
		f.vals[c.Values[0]] = inputs[i]
	}
	if err := s.entry(f); err != nil {
		return err
	}
	for _, c := range m.Inputs {
		if err := s.arrive(f, c); err != nil {
			return err
		}
	}
	return nil
}

func (s *System) frame(p *process, m *partitioner.Module, exec int, from *Peer) *frame {
	f := &frame{peer: p, module: m, exec: exec, from: from, vals: map[*ir.Value]any{}, ready: map[*partitioner.Cut]bool{}, fired: map[*partitioner.Block]bool{},
		senders: map[*partitioner.Cut]*Peer{}, expects: map[*partitioner.Cut][]*Peer{}, apart: map[*ir.Node]int{}}
	p.frames[frameKey{exec, m, from}] = f
	return f
}

// entry runs the blocks that need no cut point.
func (s *System) entry(f *frame) error {
	for _, b := range f.module.Blocks {
		if len(b.Wait) == 0 {
			if err := s.block(f, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// deliver passes a fill to the frame of its execution.
func (s *System) deliver(from *Peer, to *process, exec int, e *partitioner.Edge, v any) error {
	for _, m := range to.part.Modules {
		for _, c := range m.Cuts {
			if c.Edge != e {
				continue
			}
			f, err := s.receiver(to, m, exec, from)
			if err != nil {
				return err
			}
			if f.ready[c] {
				return nil // from another peer, after the first one
			}
			f.vals[c.Values[0]], f.senders[c] = v, from
			if c.Sender != nil {
				f.vals[c.Sender] = from
			}
			return s.arrive(f, c)
		}
	}
	return fmt.Errorf("nobody on %s takes edge %s", to.Class, e.Name)
}

func (s *System) receiver(p *process, m *partitioner.Module, exec int, from *Peer) (*frame, error) {
	top := m
	if m.Parent != nil {
		top = m.Parent
	}
	f := p.frames[frameKey{exec, top, nil}]
	if f == nil {
		f = s.frame(p, top, exec, nil)
		if err := s.entry(f); err != nil {
			return nil, err
		}
	}
	if m.Parent == nil {
		return f, nil
	}
	c := p.frames[frameKey{exec, m, from}]
	if c == nil {
		c = s.frame(p, m, exec, from)
		c.parent = f
		f.children = append(f.children, c)
		slices.SortFunc(f.children, func(a, b *frame) int {
			return cmp.Or(cmp.Compare(a.from.Class, b.from.Class), cmp.Compare(a.from.Rank, b.from.Rank))
		})
		return c, s.entry(c)
	}
	return c, nil
}

// arrive records that a cut point has arrived, and runs the blocks that waited for it.
func (s *System) arrive(f *frame, c *partitioner.Cut) error {
	if f.ready[c] {
		return nil
	}
	f.ready[c] = true
	f.order = append(f.order, c)
	for _, b := range f.module.Blocks {
		if !slices.Contains(b.Wait, c) || f.fired[b] {
			continue
		}
		if b.Any || !slices.ContainsFunc(b.Wait, func(w *partitioner.Cut) bool { return !f.ready[w] }) {
			if err := s.block(f, b); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *System) block(f *frame, b *partitioner.Block) error {
	f.fired[b] = true
	s.blocks[fmt.Sprintf("%s.%d.%s.%d.%d.%v", f.peer.Class, f.peer.Rank, f.module.Name, b.Index, f.exec, f.from)]++
	for i := range b.Steps {
		if err := s.step(f, &b.Steps[i]); err != nil {
			return fmt.Errorf("%s.%s: %w", f.module.Name, b.Name, err)
		}
	}
	f.ran++
	if f.ran == len(f.module.Blocks) && f.parent != nil {
		return s.weigh(f.parent, f.module.Gather)
	}
	return nil
}

// weigh checks whether all expected peers have contributed.
func (s *System) weigh(f *frame, c *partitioner.Cut) error {
	expected, armed := f.expects[c]
	if !armed {
		return nil
	}
	done := 0
	for _, child := range f.children {
		if child.module == c.Child && child.ran == len(child.module.Blocks) {
			done++
		}
	}
	if done < len(expected) {
		return nil
	}
	return s.arrive(f, c)
}

func (s *System) step(f *frame, x *partitioner.Step) error {
	switch {
	case x.Compute != nil && x.Cut == nil:
		return s.compute(f, x.Compute)
	case x.Compute != nil:
		s.later(func() error {
			if err := s.compute(f, x.Compute); err != nil {
				return err
			}
			return s.arrive(f, x.Cut)
		})
		return nil
	case x.Node == nil:
		return s.arrive(f, x.Cut)
	case x.From != nil:
		return s.first(f, x)
	case x.Cut != nil && x.Cut.Kind == partitioner.Timer:
		if op.PeerOf(x.Node).Pass {
			f.vals[x.Node.Out[0]] = f.get(x.Node.In[0])
		}
		s.later(func() error { return s.arrive(f, x.Cut) })
		return nil
	}
	return s.node(f, x)
}

// first takes the input of the first cut point to arrive.
func (s *System) first(f *frame, x *partitioner.Step) error {
	for _, c := range f.order {
		if i := slices.Index(x.From, c); i >= 0 {
			f.vals[x.Node.Out[0]] = f.get(x.Node.In[i])
			if v := x.Node.Res(1); v != nil {
				f.vals[v] = tensor.Of([]bool{i == 0})
			}
			return s.arrive(f, x.Cut)
		}
	}
	return fmt.Errorf("%s: none of its inputs has come", x.Node)
}

func (s *System) compute(f *frame, c *partitioner.Compute) error {
	var in []tensor.Value
	for _, v := range c.Args {
		t, ok := f.get(v).(tensor.Value)
		if !ok {
			return fmt.Errorf("%s: %q is not there", c.Name, v.Name)
		}
		in = append(in, t)
	}
	out, err := eval.Run(c.Func, in)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrKernel, c.Name, err)
	}
	for i, v := range c.Outs {
		f.vals[v] = out[i]
	}
	return nil
}

func (f *frame) get(v *ir.Value) any {
	if v.IsConst() {
		return v.Const
	}
	return f.vals[v]
}

func (f *frame) all(vs []*ir.Value) []any {
	out := make([]any, len(vs))
	for i, v := range vs {
		if v != nil {
			out[i] = f.get(v)
		}
	}
	return out
}

// node executes the effects of a node other than computing.
func (s *System) node(f *frame, x *partitioner.Step) error {
	n := x.Node
	switch op.PeerKindOf(n) {
	case op.KindSend:
		exec := s.execOf(f, x.Apart)
		for _, in := range n.In[1:] {
			for _, to := range List(f.get(in)) {
				v := f.get(n.In[0])
				s.later(func() error { return s.deliver(f.peer.Peer, s.running(to), exec, x.Edge, v) })
			}
		}
		return nil
	case op.KindRecv:
		f.expects[x.Cut] = List(f.get(n.In[0]))
		return s.weigh(f, x.Cut)
	case op.KindEmit:
		if op.PeerOf(n).Told {
			v, _ := f.get(n.In[0]).(tensor.Value)
			key := fmt.Sprintf("%s.%d.%s", f.peer.Class, f.peer.Rank, n.Str("name"))
			s.Emitted[key] = append(s.Emitted[key], v)
		}
		return nil
	case op.KindOrder:
		f.vals[n.Out[0]] = f.get(n.In[0])
		return nil
	case op.KindNext:
		return s.next(f, x)
	case op.KindFold:
		if x.Fold != nil && x.Cut == nil {
			return s.fold(f, x)
		}
		if x.Fold != nil {
			s.enqueue(f.peer, x.Cut.Slot.Group, func() error {
				if err := s.fold(f, x); err != nil {
					return err
				}
				return s.arrive(f, x.Cut)
			})
			return nil
		}
		panic(fmt.Sprintf("BUG: %s has no gather", n))
	case op.KindCall, op.KindGather, op.KindService, op.KindWait, op.KindCollective, op.KindOpen:
		return s.method(f, x)
	default:
		panic(fmt.Sprintf("BUG: no way to execute %s", n))
	}
}

// execOf returns the execution of a frame's Send: its own, or a new one that all parts of a bundle share.
func (s *System) execOf(f *frame, apart *ir.Node) int {
	switch {
	case apart == nil:
		return f.exec
	case f.apart[apart] == 0:
		s.execs++
		f.apart[apart] = s.execs
	}
	return f.apart[apart]
}

// method calls the engine or a component, immediately or later.
func (s *System) method(f *frame, x *partitioner.Step) error {
	n := x.Node
	do := func() error {
		out, err := s.result(f, n, f.from, f.all(n.In))
		for i, x := range out {
			if v := n.Res(i); v != nil {
				f.vals[v] = x
			}
		}
		return err
	}
	if x.Cut == nil {
		return do()
	}
	finish := func() error {
		if err := do(); err != nil {
			return err
		}
		return s.arrive(f, x.Cut)
	}
	if x.Cut.Slot != nil {
		s.enqueue(f.peer, x.Cut.Slot.Group, finish)
		return nil
	}
	s.later(finish)
	return nil
}

// enqueue runs a command when the earlier ones in its queue have ended.
func (s *System) enqueue(p *process, queue int, do func() error) {
	p.queues[queue] = append(p.queues[queue], do)
	if p.busy[queue] {
		return
	}
	p.busy[queue] = true
	var pump func() error
	pump = func() error {
		next := p.queues[queue][0]
		p.queues[queue] = p.queues[queue][1:]
		if err := next(); err != nil {
			return err
		}
		p.busy[queue] = len(p.queues[queue]) > 0
		if p.busy[queue] {
			s.later(pump)
		}
		return nil
	}
	s.later(pump)
}

func (s *System) result(f *frame, n *ir.Node, from *Peer, in []any) ([]any, error) {
	if peers := s.Peers.Named(n, f.peer.Peer); peers != nil {
		return []any{peers}, nil
	}
	return s.Call(f.peer.Peer, n, from, in)
}

func (s *System) fold(f *frame, x *partitioner.Step) error {
	for _, child := range f.children {
		if child.module != x.Fold {
			continue
		}
		in := make([]any, len(x.Node.In))
		for i, v := range x.Node.In {
			if in[i] = child.get(v); in[i] == nil {
				in[i] = f.get(v)
			}
		}
		if _, err := s.Call(f.peer.Peer, x.Node, child.from, in); err != nil {
			return err
		}
	}
	return nil
}

// next begins a round, with its number and the carried values.
func (s *System) next(f *frame, x *partitioner.Step) error {
	number := int64(0)
	if x.Next == f.module {
		number = tensor.Data[int64](f.get(f.module.Inputs[0].Values[0]).(*tensor.Tensor))[0] + 1
		if until := x.Node.Arg(0); until != nil && tensor.Data[bool](f.get(until).(*tensor.Tensor))[0] {
			return nil
		}
	}
	if number >= int64(x.Next.Rounds) {
		return nil
	}
	in := append([]any{&tensor.Tensor{DType: tensor.Int64, Shape: []int{}, Data: []int64{number}}}, f.all(x.Node.In[min(1, len(x.Node.In)):])...)
	s.later(func() error { return s.open(f.peer, x.Next, in) })
	return nil
}

// once checks that no block runs twice.
func (s *System) once() error {
	for _, key := range slices.Sorted(maps.Keys(s.blocks)) {
		if s.blocks[key] > 1 {
			return fmt.Errorf("block %s ran %d times", key, s.blocks[key])
		}
	}
	return nil
}
