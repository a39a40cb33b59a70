package attention

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// linearAttentionParts returns a LinearAttention as a Scan over its tokens, for differentiation.
func linearAttentionParts(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	a, err := readLinearAttention(n)
	if err != nil {
		return nil, err
	}
	keys, ok1 := a.keySize.Const()
	values, ok2 := a.valueSize.Const()
	if !ok1 || !ok2 {
		return nil, fmt.Errorf("keys and values of a head have %s and %s elements, want known numbers", a.keySize, a.valueSize)
	}
	elem := op.Wide(n.In[linearQuery].Type.Elem)
	// tokens is an input as [seq, batch, …].
	tokens := func(i int, shape ...int) *ir.Value {
		v := b.OpA("Transpose", op.Attrs("perm", []int{1, 0, 2}), op.CastTo(b, n.In[i], elem))
		return b.Op("Reshape", v, b.Ints(append([]int{0, 0}, shape...)...))
	}
	g := a.kvHeads
	scan := &ir.Node{Op: "Scan", Name: b.Module.FreshName(b.Prefix + "Scan"), Class: b.Class, Pos: b.Pos}
	state := op.CastTo(b, n.Arg(linearPastState), elem)
	if state == nil {
		shape := b.OpA("Concat", op.Attrs("axis", 0), op.SizeOf(b, n.In[linearQuery], 0), b.Ints(g, keys, values))
		state = b.Op("Expand", b.Scalar(elem, 0), shape)
	}
	scan.In = []*ir.Value{state, tokens(0, g, a.heads/g, keys), tokens(1, g, keys, 1), tokens(2, g, 1, values)}
	if n.Arg(linearDecay) != nil {
		scan.In = append(scan.In, b.Op("Exp", tokens(4, g, -1, 1)))
	}
	if n.Arg(linearBeta) != nil {
		scan.In = append(scan.In, tokens(5, -1, 1, 1))
	}
	scan.Attrs = op.Attrs("num_scan_inputs", len(scan.In)-1)
	scan.Regions = []*ir.Region{linearAttentionStep(b, n, scan)}
	for range 2 {
		scan.Out = append(scan.Out, &ir.Value{Name: b.Module.FreshName(scan.Name + "_out"), Def: scan})
	}
	outs := b.Add(scan)
	scale := n.Float("scale")
	if scale == 0 {
		scale = inverseRoot(keys)
	}
	y := b.Op("Mul", b.Op("Reshape", outs[1], b.Ints(0, 0, -1)), b.Scalar(elem, scale))
	y = op.CastTo(b, b.OpA("Transpose", op.Attrs("perm", []int{1, 0, 2}), y), n.In[linearQuery].Type.Elem)
	last := outs[0]
	if len(n.Out) > 1 && n.Out[1] != nil {
		last = op.CastTo(b, last, n.Out[1].Type.Elem)
	}
	return []*ir.Value{y, last}[:len(n.Out)], b.Err()
}

// linearAttentionStep returns the body of the Scan: a token.
//
//	S *= exp(decay)
//	v = beta · (v - kᵀ·S)
//	S += k·v
//	y = q·S
func linearAttentionStep(outer *ir.Builder, n, scan *ir.Node) *ir.Region {
	b := &ir.Builder{Module: outer.Module, Infer: outer.Infer, Prefix: outer.Prefix + "token_", Class: outer.Class, Pos: outer.Pos}
	r := &ir.Region{Name: "body"}
	for i, v := range scan.In {
		t := v.Type
		if i > 0 {
			t = ir.TensorOf(t.Elem, t.Shape[1:]...)
		}
		r.Params = append(r.Params, &ir.Value{Name: b.Module.FreshName(b.Prefix + "in"), Type: t})
	}
	state, q, k, v := r.Params[0], r.Params[1], r.Params[2], r.Params[3]
	if n.Arg(linearDecay) != nil {
		state = b.Op("Mul", state, r.Params[4])
	}
	if n.Arg(linearBeta) != nil {
		known := b.Op("MatMul", op.SwapLast(b, k), state)
		v = b.Op("Mul", r.Params[len(r.Params)-1], b.Op("Sub", v, known))
	}
	next := b.Op("Add", state, b.Op("Mul", k, v))
	y := b.Op("MatMul", q, next)
	r.Nodes, r.Results = b.Nodes, []*ir.Value{next, y}
	return r
}

// inverseRoot returns the default factor of scores.
func inverseRoot(size int) float64 { return 1 / math.Sqrt(float64(size)) }
