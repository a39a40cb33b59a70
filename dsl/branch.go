package dsl

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// branch is a part of a module that runs conditionally or repeatedly. It only computes.
type branch struct {
	of      string // If, Loop
	pos     pos
	classes []string   // classes of the values read inside
	body    *ir.Region // the region that contains it
	outer   *branch
}

// common returns the class of peers that have all values that a node and its regions read.
func (b *branch) common(class string) (string, error) {
	if b == nil {
		return class, nil
	}
	for _, c := range b.classes {
		switch {
		case class == "":
			class = c
		case c != class:
			return "", fmt.Errorf("it reads what is on peers of class %s, and what is on %s: send one of them with NetOut", class, c)
		}
	}
	return class, nil
}

// inBranch returns an error if the node cannot be recorded in the current branch.
func (g *Graph) inBranch(s step, class string) error {
	b := g.fn.branch
	if b == nil {
		return nil
	}
	if class != "" {
		b.classes = append(b.classes, class)
	}
	if s.op.Peer != nil {
		return fmt.Errorf("it stands inside the %s at %s, in which peers can only compute: do it before, or for what comes out", b.of, b.pos.long)
	}
	return nil
}

// sees reports whether nodes recorded now can read the values of a region: they stand in it, or in a region of one of
// its nodes. A value of no region can be read everywhere.
func (g *Graph) sees(r *ir.Region) bool {
	if r == nil || r == g.fn.f.Body {
		return true
	}
	for b := g.fn.branch; b != nil; b = b.outer {
		if b.body == r {
			return true
		}
	}
	return false
}

// outside runs f with the graph outside of all branches being recorded.
func (g *Graph) outside(f func()) {
	b, body := g.fn.branch, g.fn.f.Body
	for x := b; x != nil; x = x.outer {
		g.fn.f.Body = x.body
	}
	g.fn.branch = nil
	f()
	g.fn.branch, g.fn.f.Body = b, body
}
