package optest

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// own tests bbgen's own operators, which may also be in files, with all numbers of inputs, of suitable and
// unsuitable types: they must be lowered or refused.
func own(f *family, errorf errorf) {
	types := []ir.Type{
		ir.TensorOf(tensor.Float32), ir.TensorOf(tensor.Float32, ir.C(3)), ir.TensorOf(tensor.Float32, ir.C(2), ir.Sym("n")),
		ir.TensorOf(tensor.Float32, ir.C(1), ir.C(2), ir.C(3), ir.C(3)), ir.TensorOf(tensor.Int64, ir.C(3)), ir.TensorOf(tensor.Int64),
	}
	for _, o := range f.ops {
		if o.Domain != op.Own {
			continue
		}
		for in := o.In().Min; in <= min(o.In().Max, o.In().Min+2); in++ {
			for _, first := range types {
				for _, rest := range types {
					tryOwn(errorf, o, in, first, rest)
				}
			}
		}
	}
}

func tryOwn(errorf errorf, o *op.Op, count int, first, rest ir.Type) {
	n := &ir.Node{Op: o.Name, Domain: o.Domain, Name: "n"}
	for i := range count {
		v := &ir.Value{Name: fmt.Sprint("in", i), Type: rest}
		if i == 0 {
			v.Type = first
		}
		n.In = append(n.In, v)
	}
	for i := range max(o.Out().Min, 1) {
		n.Out = append(n.Out, &ir.Value{Name: fmt.Sprint("out", i), Def: n})
	}
	defer func() {
		if r := recover(); r != nil {
			errorf("%s of %s and %d times %s: %v", o.Name, first, count-1, rest, r)
		}
	}()
	m := &ir.Module{Main: &ir.Func{Body: &ir.Region{Params: n.In, Nodes: []*ir.Node{n}, Results: n.Out}}}
	if err := o.Type(&op.Infer{Node: n, Module: m}); err != nil || o.Lower == nil {
		return
	}
	o.Lower(&op.Lowering{Node: n})
}
