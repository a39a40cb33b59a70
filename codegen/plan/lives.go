package plan

import "math"

// span is a range of steps from a definition to the last use.
type span struct{ from, to int }

// findLives assigns every variable the spans in which it must keep its content. A variable defined outside of a
// body but used inside lives until the last run of the body. The result is the number of the last step.
func (p *Plan) findLives() int {
	for _, x := range p.Vars {
		x.lives, x.in = nil, 0
	}
	n := &numbering{}
	each(p.Steps, func(s Step) {
		n.pos++
		n.enter(s.order())
		p.Touches(s, n.touch)
	}, func(s Step) {
		n.pos++
		if s.order() == repeated {
			p.Touches(s, func(x *Var) { x.extend(n.pos) })
			n.closeBody()
		}
	})
	for _, o := range p.Outputs {
		if o.Source != nil {
			o.Source.extend(math.MaxInt)
		}
	}
	p.pinViews()
	return n.pos
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

// enter records that a step begins the bodies of which run in an order.
func (n *numbering) enter(o order) {
	switch o {
	case straight, either:
	case repeated:
		n.open = append(n.open, &body{start: n.pos})
	case inlined:
		n.repetition++
	}
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

func (x *Var) to() int { return x.lives[len(x.lives)-1].to }

// pinViews extends the lives of variables to those of their views: what a step makes a view is a part of something
// that it reads.
func (p *Plan) pinViews() {
	each(p.Steps, func(s Step) {
		end := 0
		p.Touches(s, func(x *Var) {
			if x.Place == View && p.writes(s, x) {
				end = max(end, x.to())
			}
		})
		if end > 0 {
			p.Touches(s, func(x *Var) { x.extend(end) })
		}
	}, func(Step) {})
}
