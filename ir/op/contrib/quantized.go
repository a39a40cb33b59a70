package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// qnode is a node with quantized operands.
type qnode struct {
	b *ir.Builder
	n *ir.Node
}

// dequantized returns input i as floats. Its scale and zero point are the inputs that follow it.
func (q qnode) dequantized(i int) *ir.Value {
	return q.b.Op("DequantizeLinear", q.n.In[i], q.n.In[i+1], q.n.Arg(i+2))
}

// quantized returns y as bytes. Their scale is input i, and their zero point the input that follows it.
func (q qnode) quantized(y *ir.Value, i int) *ir.Value {
	return q.b.Op("QuantizeLinear", y, q.n.In[i], q.n.Arg(i+1))
}

// The inputs of a quantized operator of two tensors.
const (
	quantA      = 0
	quantB      = 3
	quantCScale = 6
)

// quantizedOperands are the inputs of a quantized operator of two tensors. Each tensor has a scale and a zero
// point, and so has the result.
var quantizedOperands = []op.Port{
	{Name: "A", Types: elem.Bytes},
	{Name: "A_scale", Types: elem.Floats},
	{Name: "A_zero_point", Like: "A", Optional: true},
	{Name: "B", Like: "A"},
	{Name: "B_scale", Types: elem.Floats},
	{Name: "B_zero_point", Like: "A", Optional: true},
	{Name: "C_scale", Types: elem.Floats},
	{Name: "C_zero_point", Like: "A", Optional: true},
}

// quantizedBinary returns the definition of a quantized operator of two tensors by the operator of floats.
func quantizedBinary(name string) func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	return one(func(b *ir.Builder, n *ir.Node) *ir.Value {
		q := qnode{b, n}
		return q.quantized(b.Op(name, q.dequantized(quantA), q.dequantized(quantB)), quantCScale)
	})
}

// The inputs of a quantized operator of one tensor.
const (
	quantX      = 0
	quantYScale = 3
)

// quantizedOperand are the inputs of a quantized operator of one tensor.
var quantizedOperand = []op.Port{
	{Name: "X", Types: elem.Bytes},
	{Name: "X_scale", Types: elem.Floats},
	{Name: "X_zero_point", Like: "X", Optional: true},
	{Name: "Y_scale", Types: elem.Floats},
	{Name: "Y_zero_point", Like: "X", Optional: true},
}

// quantizedUnary returns the definition of a quantized operator of one tensor by the operator of floats, which
// takes the given attributes.
func quantizedUnary(name string, attrs ...string) func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	return one(func(b *ir.Builder, n *ir.Node) *ir.Value {
		q := qnode{b, n}
		return q.quantized(b.OpA(name, given(n, attrs...), q.dequantized(quantX)), quantYScale)
	})
}

// quantizedPool is [quantizedUnary] for pools, which may have their channels last.
func quantizedPool(name string, attrs ...string) func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	return func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
		q := qnode{b, n}
		x := q.dequantized(quantX)
		last := n.Int("channels_last") != 0
		if err := needRank(n, quantX, 4); last && err != nil {
			return nil, err
		}
		if last {
			x = channelsFirst(b, x)
		}
		y := b.OpA(name, given(n, attrs...), x)
		if last {
			y = channelsLast(b, y)
		}
		return []*ir.Value{q.quantized(y, quantYScale)}, nil
	}
}

// channelsFirst returns images with their channels as the second axis, of images that have them last.
func channelsFirst(b *ir.Builder, x *ir.Value) *ir.Value {
	return b.OpA("Transpose", op.Attrs("perm", []int{0, 3, 1, 2}), x)
}

// channelsLast is the inverse of [channelsFirst].
func channelsLast(b *ir.Builder, x *ir.Value) *ir.Value {
	return b.OpA("Transpose", op.Attrs("perm", []int{0, 2, 3, 1}), x)
}
