package plan

import "github.com/bbgen/bbgen/ir"

// Chain runs elementwise calls on one part of their elements after the other, so that intermediate results
// are never written to memory: see cpu.InParts.
type Chain struct {
	Calls     []*Call // in the form for a part
	Rows, Len ir.Dim  // its elements; operands repeat from row to row
	ByRow     bool    // some operand has a different part for each row
	Operands  []*Operand
	Temps     []*Temp
	Places    int // number of places of a part's size
}

// Operand is an operand that a chain reads from or writes to memory.
type Operand struct {
	*ir.Value
	Walk
	Place         int // EachRow, PerRow: the place where it is repeated
	Read, Written int // the last call that reads it, and the call that writes it; -1 for none
}

// Temp is an intermediate result of a chain.
type Temp struct {
	*ir.Value
	Place int
	last  int // the last call that reads it
}

// Node returns the node of the last call, which represents the chain.
func (c *Chain) Node() *ir.Node { return c.Calls[len(c.Calls)-1].Node }

// operands visits the variables outside of the chain. Its results are read only after it.
func (c *Chain) operands(p *Plan, v visitor) {
	for _, o := range c.Operands {
		a := Read
		if o.Written >= 0 {
			a = Write
		}
		v.value(p, o.Value, a)
	}
	v.dims(c.Rows, c.Len)
}

func (*Chain) bodies() []*[]Step { return nil }

func (*Chain) order() order { return straight }

func (*Chain) binds() []string { return nil }

func (c *Chain) node() *ir.Node { return c.Node() }

func (c *Chain) kernels() []*Call { return c.Calls }

// replacements calls f for each result of the chain with each operand that it may overwrite, until f returns
// true. No call reads a part of such an operand after the result is written.
func (c *Chain) replacements(f func(y, x *ir.Value) bool) {
	for _, y := range c.Operands {
		for _, x := range c.Operands {
			if y.Written >= 0 && x.Written < 0 && x.Read <= y.Written && x.Kind == Along && !x.IsConst() && f(y.Value, x.Value) {
				break
			}
		}
	}
}
