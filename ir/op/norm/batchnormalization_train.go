package norm

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// runningMoments moves the running moments towards those of the batch. As in
// PyTorch, and unlike ONNX, the running variance is that of the population that
// the batch is a sample of:
//
//	running = momentum·running + (1-momentum)·variance·n/(n-1)
//
// for n elements of a channel.
func runningMoments(b *ir.Builder, n *ir.Node) []*ir.Value {
	next := make([]*ir.Value, len(n.In))
	if n.Int("training_mode") == 0 {
		return next
	}
	for len(n.Out) < 3 {
		n.Out = append(n.Out, nil)
	}
	for i := 1; i < 3; i++ {
		if n.Out[i] == nil {
			n.Out[i] = &ir.Value{Name: b.Module.FreshName(n.Name + "_running"), Type: n.In[2+i].Type, Def: n}
		}
	}
	x, old, out := n.In[batchNormX], n.In[batchNormInputVar], n.Out[2]
	elem := old.Type.Elem
	count := op.CastTo(b, b.Op("Div", b.Op("Size", x), b.Op("Size", old)), elem)
	over := b.Op("Div", b.Scalar(elem, 1), b.Op("Max", b.Op("Sub", count, b.Scalar(elem, 1)), b.Scalar(elem, 1)))
	kept := b.Op("Mul", old, b.Scalar(elem, n.Float("momentum")))
	taken := b.Op("Sub", out, kept)
	next[3], next[4] = n.Out[1], b.Op("Add", out, b.Op("Mul", taken, over))
	return next
}

// inferenceBatchNorm makes a node normalize with the running moments.
func inferenceBatchNorm(n *ir.Node) {
	n.Attrs.Set("training_mode", int64(0))
	n.Out = n.Out[:1]
}
