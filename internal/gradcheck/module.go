package gradcheck

import (
	"fmt"
	"math/rand/v2"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// module returns the case as a program without results: its node, the inputs of the gradient, and their
// values.
func (c *Case) module() (b *ir.Builder, n *ir.Node, in []tensor.Value) {
	m := &ir.Module{Name: c.Op, File: c.Line, Opsets: map[string]int{"": 28}, Main: &ir.Func{Name: "main", Body: &ir.Region{}}}
	b = &ir.Builder{Module: m, Infer: op.Inferrer{}}
	r := rand.New(rand.NewPCG(1, 2))
	n = &ir.Node{Op: c.Op, Domain: c.Domain, Name: "n", Attrs: c.attrs}
	for i, o := range c.operands {
		name := fmt.Sprintf("in%d", i)
		switch {
		case o.kind == "":
			n.In = append(n.In, nil)
		case !o.input():
			n.In = append(n.In, ir.NewConst(name, o.constant()))
		default:
			t := o.random(r)
			v := &ir.Value{Name: name, Type: ir.TensorOf(tensor.Float64, c.dims(o.shape)...)}
			m.Main.Body.Params = append(m.Main.Body.Params, v)
			in = append(in, t)
			if o.kind == "single" {
				v = op.Cast(b, v, tensor.Float32)
			}
			n.In = append(n.In, v)
		}
	}
	for i := range c.outputs {
		if n.Out = append(n.Out, nil); c.output < 0 || i == c.output {
			n.Out[i] = &ir.Value{Name: fmt.Sprintf("out%d", i), Def: n}
		}
	}
	b.Add(n)
	return b, n, in
}

// dims returns the sizes of an input. If they are symbols, equal sizes have equal symbols.
func (c *Case) dims(shape []int) []ir.Dim {
	out := ir.Cs(shape...)
	for i, n := range shape {
		if c.symbolic {
			out[i] = ir.Sym(fmt.Sprintf("d%d", n))
		}
	}
	return out
}
