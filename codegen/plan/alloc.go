package plan

import (
	"math"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// align is the alignment of everything in the arena and in the weights.
const align = 64

// maxArena is the largest size of an arena in bytes.
const maxArena = 1 << 38

// each calls f for every step, outer steps before inner ones. It calls leave after the body of a step.
func each(steps []Step, f func(s Step), leave func(s Step)) {
	for _, s := range steps {
		f(s)
		bodies := s.bodies()
		for _, body := range bodies {
			each(*body, f, leave)
		}
		if bodies != nil {
			leave(s)
		}
	}
}

// number assigns every variable the spans in which it must keep its content. A variable defined outside of a
// body but used inside lives until the last run of the body.
func (b *builder) number() {
	for _, x := range b.Vars {
		x.lives, x.in = nil, 0
	}
	n := &numbering{}
	each(b.Steps, func(s Step) {
		n.pos++
		switch s.(type) {
		case *Loop, *Scan:
			n.open = append(n.open, &body{start: n.pos})
		case *Rolled:
			n.repetition++
		}
		b.touches(s, n.touch)
	}, func(s Step) {
		n.pos++
		switch s.(type) {
		case *Loop, *Scan:
			b.touches(s, func(x *Var) { x.extend(n.pos) })
			n.closeBody()
		}
	})
	for _, p := range b.Outputs {
		if p.Source != nil {
			p.Source.extend(math.MaxInt)
		}
	}
	b.pinViews()
}

// numbering is the state of a walk over the steps.
type numbering struct {
	pos        int
	repetition int     // of the current block, counted over all blocks from 1
	open       []*body // the bodies around the step; the innermost is the last
}

// body is a loop that encloses the current step.
type body struct {
	start int
	used  []*Var
}

// touch records that a step at the current position uses x.
func (n *numbering) touch(x *Var) {
	if len(x.lives) == 0 || x.repeated && x.in != n.repetition {
		x.lives = append(x.lives, span{n.pos, n.pos})
		x.in = n.repetition
	}
	x.extend(n.pos)
	for _, o := range n.open {
		o.used = append(o.used, x)
	}
}

func (n *numbering) closeBody() {
	o := n.open[len(n.open)-1]
	n.open = n.open[:len(n.open)-1]
	for _, x := range o.used {
		if x.lives[0].from <= o.start {
			x.extend(n.pos)
		}
	}
}

// extend extends the life of x to pos.
func (x *Var) extend(pos int) {
	if len(x.lives) == 0 {
		x.lives = []span{{pos, pos}}
	}
	last := &x.lives[len(x.lives)-1]
	last.to = max(last.to, pos)
}

// from and to return the first and the last step of a variable's life.
func (x *Var) from() int { return x.lives[0].from }
func (x *Var) to() int   { return x.lives[len(x.lives)-1].to }

// meets reports whether x and y are live at the same time.
func (x *Var) meets(y *Var) bool {
	for _, a := range x.lives {
		for _, b := range y.lives {
			if a.from <= b.to && b.from <= a.to {
				return true
			}
		}
	}
	return false
}

// pinViews extends the lives of variables to those of their views.
func (b *builder) pinViews() {
	each(b.Steps, func(s Step) {
		if sc, ok := s.(*Scan); ok {
			for _, x := range sc.Slices {
				x.Src.extend(x.Dst.to())
			}
		}
	}, func(Step) {})
}

// share lets an operator write its output over an input that is no longer used.
func (b *builder) share() {
	merged := map[*Var]*Var{}
	find := func(x *Var) *Var {
		for merged[x] != nil {
			x = merged[x]
		}
		return x
	}
	calls := map[*ir.Node]int{}
	pos := map[Step]int{}
	p := 0
	each(b.Steps, func(s Step) {
		p++
		pos[s] = p
		if c, ok := s.(*Call); ok {
			calls[c.Node]++
		}
	}, func(Step) { p++ })
	try := func(y, x *Var, at, room int) bool {
		if x, y = find(x), find(y); x == y || !b.mayReplace(x, y, at, room) {
			return false
		}
		x.extend(y.to())
		merged[y] = x
		return true
	}
	each(b.Steps, func(s Step) {
		switch s := s.(type) {
		case *Call:
			if calls[s.Node] != 1 || s.Checks() || !op.Lookup(s.Node).InPlace || s.Node.Res(0) == nil {
				return
			}
			for _, v := range s.Node.In {
				if v != nil && v.Const == nil && b.byValue[v] != nil && try(b.byValue[s.Node.Out[0]], b.byValue[v], pos[s], 1) {
					return
				}
			}
		case *Chain:
			s.replacements(func(y, x *ir.Value) bool { return try(b.byValue[y], b.byValue[x], pos[s], len(s.Operands)) })
		}
	}, func(Step) {})
	for v, x := range b.byValue {
		b.byValue[v] = find(x)
	}
	b.Vars = slices.DeleteFunc(b.Vars, func(x *Var) bool { return merged[x] != nil })
	b.Steps = b.redirect(b.Steps, find)
}

// mayReplace reports whether y, defined at step at, may take the place of x. At most room steps before it
// make room for the results.
func (b *builder) mayReplace(x, y *Var, at, room int) bool {
	return x.Place == y.Place && (x.Place == Arena || x.Place == Slot) &&
		x.to() == at && y.from() >= at-room && x.from() < y.from() &&
		x.Type.Elem == y.Type.Elem && x.Len.Equal(y.Len)
}

// redirect replaces merged variables in steps, and removes the steps that grow them.
func (b *builder) redirect(steps []Step, find func(*Var) *Var) []Step {
	var out []Step
	for _, s := range steps {
		if g, ok := s.(*Grow); ok && find(g.Var) != g.Var {
			continue
		}
		s.operands(b.Plan, renaming(find))
		for _, body := range s.bodies() {
			*body = b.redirect(*body, find)
		}
		out = append(out, s)
	}
	return out
}

// allocate assigns offsets and buffers to variables.
func (b *builder) allocate() error {
	var fixed []*Var
	for _, x := range b.Vars {
		switch x.Place {
		case Arena:
			fixed = append(fixed, x)
		case Slot:
			x.Off = b.slot(x)
		}
	}
	if err := b.arena(fixed); err != nil {
		return err
	}
	b.weigh()
	return nil
}

// bytes returns the size of x in the arena.
func (x *Var) bytes() int {
	n, _ := x.Len.Const()
	if n < 0 || n > maxArena {
		return -1
	}
	return (n*x.Type.Elem.Size() + align - 1) / align * align
}

// slot returns the first buffer of x's element type that is free while x is live.
func (b *builder) slot(x *Var) int {
	taken := map[int]bool{}
	for _, y := range b.Vars {
		if y == x {
			break
		}
		if y.Place == Slot && y.Type.Elem == x.Type.Elem && x.meets(y) {
			taken[y.Off] = true
		}
	}
	i := 0
	for taken[i] {
		i++
	}
	b.Slots[x.Type.Elem] = max(b.Slots[x.Type.Elem], i+1)
	return i
}

// weigh assigns the weights' offsets in their file.
func (b *builder) weigh() {
	off := 0
	for _, w := range b.Weights {
		w.Off = -1
		if w.Data.DType == tensor.String {
			continue
		}
		w.Off = off
		if n := len(w.Data.Bytes()); n > 1<<16 {
			if runs := tensor.AppendRuns(nil, w.Data.Bytes()); len(runs) < n/16 {
				w.Runs = runs
			}
		}
		off += (len(w.File()) + align - 1) / align * align
	}
}

// File returns the bytes of the weight in the weights file.
func (w *Weight) File() []byte {
	if w.Runs != nil {
		return w.Runs
	}
	return w.Data.Bytes()
}

// WeightBytes returns the size of the weights file.
func (p *Plan) WeightBytes() int {
	n := 0
	for _, w := range p.Weights {
		if w.Off >= 0 {
			n = max(n, w.Off+len(w.File()))
		}
	}
	return n
}

// WeightsFile returns the content of the weights file.
func (p *Plan) WeightsFile() []byte {
	b := make([]byte, p.WeightBytes())
	for _, w := range p.Weights {
		if w.Off >= 0 {
			copy(b[w.Off:], w.File())
		}
	}
	return b
}
