package partitioner_test

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// faults returns what is wrong with a cut program, whatever it computes. It knows nothing of how programs are cut.
func faults(p *partitioner.Program) []string {
	f := &finder{}
	f.edges(p)
	for _, part := range p.Parts {
		for _, m := range part.Modules {
			f.where = part.Class + "." + m.Name
			f.numbers(m)
			f.starts(m)
			f.child(part, m)
			f.fields(m)
			for _, b := range m.Blocks {
				f.reads(m, b)
			}
		}
	}
	return f.found
}

// finder collects faults.
type finder struct {
	where string // the module
	found []string
}

func (f *finder) errorf(format string, args ...any) {
	f.found = append(f.found, f.where+": "+fmt.Sprintf(format, args...))
}

// edges checks the table of edges: each carries the values of one step to one cut point.
func (f *finder) edges(p *partitioner.Program) {
	for i, e := range p.Edges {
		f.where = "edge " + e.Name
		if e.Index != i {
			f.errorf("has the index %d, want %d", e.Index, i)
		}
		if i > 0 && p.Edges[i-1].Text >= e.Text {
			f.errorf("does not follow %s by its text", p.Edges[i-1].Name)
		}
		if e.Depth < 1 {
			f.errorf("has the depth %d", e.Depth)
		}
		if e.Collective != nil {
			continue
		}
		if n := sent(p, e); n != 1 {
			f.errorf("is sent by %d steps of %s", n, e.From)
		}
		if n := received(p, e); n != 1 {
			f.errorf("is received by %d cut points of %s", n, e.To)
		}
	}
}

// sent counts the steps that send on an edge.
func sent(p *partitioner.Program, e *partitioner.Edge) int {
	return inClass(p, e.From, func(m *partitioner.Module) (n int) {
		for _, b := range m.Blocks {
			for _, s := range b.Steps {
				if s.Edge == e {
					n++
				}
			}
		}
		return n
	})
}

// received counts the cut points that an edge fills.
func received(p *partitioner.Program, e *partitioner.Edge) int {
	return inClass(p, e.To, func(m *partitioner.Module) (n int) {
		for _, c := range m.Cuts {
			if c.Edge == e {
				n++
			}
		}
		return n
	})
}

// inClass returns the sum of what count finds in the modules of a class.
func inClass(p *partitioner.Program, class string, count func(*partitioner.Module) int) (n int) {
	for _, part := range p.Parts {
		for _, m := range part.Modules {
			if part.Class == class {
				n += count(m)
			}
		}
	}
	return n
}

// numbers checks that cut points and blocks are numbered, and that blocks refer to their own module.
func (f *finder) numbers(m *partitioner.Module) {
	for i, c := range m.Cuts {
		if c.Index != i {
			f.errorf("%s has the index %d, want %d", c, c.Index, i)
		}
	}
	for i, b := range m.Blocks {
		if b.Index != i {
			f.errorf("block %s has the index %d, want %d", b.Name, b.Index, i)
		}
		for k, c := range b.Wait {
			if !slices.Contains(m.Cuts, c) {
				f.errorf("block %s waits for %s, which is not of its module", b.Name, c)
			}
			if k > 0 && b.Wait[k-1].Index >= c.Index {
				f.errorf("block %s waits for %s behind %s", b.Name, c, b.Wait[k-1])
			}
		}
		for _, need := range b.Needs {
			if need == b || !slices.Contains(m.Blocks, need) {
				f.errorf("block %s needs block %s", b.Name, need.Name)
			}
		}
	}
}

// starts checks that one block starts each cut point that does not come from outside, and no block the others.
func (f *finder) starts(m *partitioner.Module) {
	for _, c := range m.Cuts {
		n, want := 0, 1
		if c.Kind == partitioner.Input || c.Kind == partitioner.Fill {
			want = 0
		}
		for _, b := range m.Blocks {
			if slices.Contains(b.Starts, c) {
				n++
			}
		}
		if n != want {
			f.errorf("%d blocks start %s, want %d", n, c, want)
		}
	}
}

// child checks that a child and its gather know each other.
func (f *finder) child(part *partitioner.Partition, m *partitioner.Module) {
	if m.Parent != nil && (m.Gather == nil || m.Gather.Child != m || !slices.Contains(m.Parent.Cuts, m.Gather)) {
		f.errorf("its parent gathers something else")
	}
	for _, c := range m.Cuts {
		if (c.Kind == partitioner.Gather) != (c.Child != nil) {
			f.errorf("%s has the child %v", c, c.Child)
		}
		if c.Child != nil && !slices.Contains(part.Modules, c.Child) {
			f.errorf("%s has a child that is no module of %s", c, part.Class)
		}
	}
}

// fields checks that something brings or computes each field, which has a value.
func (f *finder) fields(m *partitioner.Module) {
	made := map[*ir.Value]bool{}
	for _, c := range m.Cuts {
		for _, v := range c.Values {
			made[v] = true
		}
	}
	for _, b := range m.Blocks {
		for _, s := range b.Steps {
			for _, v := range results(s) {
				made[v] = true
			}
		}
	}
	for i, v := range m.Fields {
		if !made[v] {
			f.errorf("nothing computes the field %q", v.Name)
		}
		if peer.IsTrigger(v) {
			f.errorf("the field %q has no value", v.Name)
		}
		if slices.Contains(m.Fields[:i], v) {
			f.errorf("the field %q is there twice", v.Name)
		}
	}
}

// reads checks that the values that a step reads are there: in a field, or computed by the same block before.
func (f *finder) reads(m *partitioner.Module, b *partitioner.Block) {
	have := slices.Clone(m.Fields)
	for _, c := range m.Cuts {
		have = append(have, c.Sender)
	}
	for _, s := range b.Steps {
		there := have
		if s.Fold != nil {
			there = slices.Concat(have, s.Fold.Fields)
		}
		for _, v := range s.Reads() {
			if !v.IsConst() && !peer.IsTrigger(v) && !slices.Contains(there, v) {
				f.errorf("block %s reads %q, which is in no field", b.Name, v.Name)
			}
		}
		if s.Cut == nil || s.Cut.Kind == partitioner.Gather {
			have = append(have, results(s)...)
		}
	}
}

// results returns the values that a step computes.
func results(s partitioner.Step) []*ir.Value {
	switch {
	case s.Compute != nil:
		return s.Compute.Outs
	case s.Node != nil:
		return s.Node.Out
	}
	return nil
}
