package op

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// Work is how many arithmetic operations a node performs: what its operator
// says, otherwise one for each element of the output if it computes at all.
func (o *Op) Work(n *ir.Node) ir.Dim {
	if o.FLOPs != nil {
		return o.FLOPs(n)
	}
	if y := n.Res(0); o.Widen && y != nil && y.Type.Kind == ir.Tensor {
		return Len(y)
	}
	return ir.C(0)
}

// Traffic is how many bytes a node reads and writes at least: what its operator
// says, otherwise each of its tensors once.
func (o *Op) Traffic(n *ir.Node) ir.Dim {
	switch {
	case o.Bytes != nil:
		return o.Bytes(n)
	case o.Alias:
		return ir.C(0)
	}
	sum := ir.C(0)
	for i, v := range slices.Concat(n.In, n.Out) {
		if !slices.Contains(n.In[:min(i, len(n.In))], v) || i >= len(n.In) {
			sum = sum.Add(bytesOf(v))
		}
	}
	return sum
}

// bytesOf is the size of a tensor; that of other values is not known.
func bytesOf(v *ir.Value) ir.Dim {
	if v == nil || v.Type.Kind != ir.Tensor {
		return ir.C(0)
	}
	return Len(v).Mul(ir.C(v.Type.Elem.Size()))
}

// pickedBytes are those of an operator that reads of its first input what it
// writes, and the others whole.
func pickedBytes(n *ir.Node) ir.Dim {
	sum := ir.C(2).Mul(bytesOf(n.Out[0]))
	for _, v := range n.In[1:] {
		sum = sum.Add(bytesOf(v))
	}
	return sum
}

// outLen is the number of elements of output 0, 0 if it is left out.
func outLen(n *ir.Node) ir.Dim {
	if y := n.Res(0); y != nil {
		return Len(y)
	}
	return ir.C(0)
}

// matMulWork multiplies and adds along the last axis of the left operand for
// each element of the result.
func matMulWork(n *ir.Node) ir.Dim {
	a := Shape(n.In[0])
	return ir.C(2).Mul(outLen(n)).Mul(a[len(a)-1])
}

func gemmWork(n *ir.Node) ir.Dim {
	a := Shape(n.In[0])
	return ir.C(2).Mul(outLen(n)).Mul(a[1-min(n.Int("transA")&1, 1)])
}

// convWork multiplies and adds each element of a filter for each element of the
// result.
func convWork(n *ir.Node) ir.Dim {
	return ir.C(2).Mul(outLen(n)).Mul(ir.Size(Shape(n.In[1])[1:]))
}

// convTransposeWork multiplies and adds each element of a filter for each
// element of the input.
func convTransposeWork(n *ir.Node) ir.Dim {
	return ir.C(2).Mul(Len(n.In[0])).Mul(ir.Size(Shape(n.In[1])[1:]))
}

// convGradWork multiplies and adds each element of a filter, which input w holds,
// for each element of the gradient that comes in.
func convGradWork(w int) func(n *ir.Node) ir.Dim {
	return func(n *ir.Node) ir.Dim {
		return ir.C(2).Mul(Len(n.In[0])).Mul(ir.Size(Shape(n.In[w])[1:]))
	}
}

// poolWork looks at each element of a window for each element of the result.
func poolWork(n *ir.Node) ir.Dim {
	return outLen(n).Mul(ir.Size(ir.Cs(n.Ints("kernel_shape")...)))
}

// perInput counts k operations for each element of input 0.
func perInput(k int) func(n *ir.Node) ir.Dim {
	return func(n *ir.Node) ir.Dim { return ir.C(k).Mul(Len(n.In[0])) }
}

// attentionWork is two matrix products: of queries by keys, and of what softmax
// makes of that by values.
func attentionWork(n *ir.Node) ir.Dim {
	a, err := readAttention(n)
	if err != nil {
		return ir.C(0)
	}
	return a.work()
}

func (a attention) work() ir.Dim {
	pairs := a.batch.Mul(a.heads).Mul(a.queries).Mul(a.keys)
	return ir.C(2).Mul(pairs).Mul(a.keySize.Add(a.valueSize))
}

// recurrentWork is that of the gates' matrix products, of the input and of the
// state, in each step.
func recurrentWork(gates int) func(n *ir.Node) ir.Dim {
	return func(n *ir.Node) ir.Dim {
		r, err := readRecurrent(n)
		if err != nil {
			return ir.C(0)
		}
		steps := r.seq.Mul(r.batch).Mul(ir.C(2 * gates * r.directions))
		return steps.Mul(r.hidden).Mul(r.input.Add(r.hidden))
	}
}
