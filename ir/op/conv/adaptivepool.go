package conv

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// AdaptiveAveragePool makes images of any size ones of "output_size": each element is the mean
// of its share of the image. Shares overlap where the sizes do not divide.
var AdaptiveAveragePool = adaptivePool("AdaptiveAveragePool", "AveragePool", "ReduceSum")

// AdaptiveMaxPool is like [AdaptiveAveragePool], with the largest element of each share.
var AdaptiveMaxPool = adaptivePool("AdaptiveMaxPool", "MaxPool", "ReduceMax")

func adaptivePool(name, pool, reduce string) *op.Op {
	return &op.Op{
		Name:    name,
		Domain:  op.Tensors,
		Since:   []int{1},
		Attrs:   []op.Attr{{Name: "output_size", Kind: op.Ints, Required: true}},
		Inputs:  []op.Port{{Name: "x", Types: elem.Floats}},
		Outputs: []op.Port{{Name: "y", Like: "x"}},
		Infer: func(c *op.Infer) error {
			x, err := c.FloatTensor(op.X)
			if err != nil {
				return err
			}
			if _, err := pooledSizes(c.Node, x); err != nil {
				return err
			}
			shape := append([]ir.Dim(nil), x.Shape[:2]...)
			c.OutTensor(0, x.Elem, append(shape, ir.Cs(c.Ints("output_size")...)...)...)
			return nil
		},
		Expand: func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) { return expandAdaptivePool(b, n, pool, reduce) },
	}
}

// maxPooled is the largest output size along an axis: the definition has a table with an entry for each element.
const maxPooled = 1 << 16

// pooledSizes returns the sizes of an image that is pooled.
func pooledSizes(n *ir.Node, x ir.Type) ([]int, error) {
	out := n.Ints("output_size")
	if len(out) == 0 || len(x.Shape) != len(out)+2 {
		return nil, fmt.Errorf("output_size is %v for %s, want a size for each axis after the first two", out, x)
	}
	sizes := make([]int, len(out))
	for i, d := range x.Shape[2:] {
		n, ok := d.Const()
		if !ok || n < 1 || out[i] < 1 || out[i] > maxPooled {
			return nil, fmt.Errorf("output_size is %v for %s, want sizes from 1 to %d, of known ones", out, x, maxPooled)
		}
		sizes[i] = n
	}
	return sizes, nil
}

// expandAdaptivePool returns an ordinary pool where the sizes divide, and otherwise a reduction of
// each share, axis by axis.
func expandAdaptivePool(b *ir.Builder, n *ir.Node, pool, reduce string) ([]*ir.Value, error) {
	x, out := n.In[op.X], n.Ints("output_size")
	sizes, err := pooledSizes(n, x.Type)
	if err != nil {
		return nil, err
	}
	step, divides := make([]int, len(out)), true
	for i, size := range sizes {
		step[i] = size / out[i]
		divides = divides && size%out[i] == 0
	}
	if divides {
		return []*ir.Value{b.OpA(pool, op.Attrs("kernel_shape", step, "strides", step), x)}, nil
	}
	for i, size := range sizes {
		if size != out[i] {
			x = shares(b, x, 2+i, size, out[i], reduce)
		}
	}
	return []*ir.Value{x}, nil
}

// shares reduces each of count shares of an axis to one element. Share k begins at k·size/count rounded down,
// and ends at the beginning of the next rounded up. The shares are gathered as rows of one length, in which
// the last element of a shorter share is repeated.
func shares(b *ir.Builder, x *ir.Value, axis, size, count int, reduce string) *ir.Value {
	from := func(k int) int { return k * size / count }
	to := func(k int) int { return ((k+1)*size + count - 1) / count }
	longest := 0
	for k := range count {
		longest = max(longest, to(k)-from(k))
	}
	at, in, length := make([]int64, 0, count*longest), make([]bool, 0, count*longest), make([]float64, count)
	for k := range count {
		length[k] = float64(to(k) - from(k))
		for i := range longest {
			at = append(at, int64(min(from(k)+i, to(k)-1)))
			in = append(in, from(k)+i < to(k))
		}
	}
	rows := b.OpA("Gather", op.Attrs("axis", axis), x, b.Const(tensor.Of(at, count, longest)))
	if reduce == "ReduceMax" {
		return b.OpA(reduce, op.Attrs("keepdims", 0), rows, b.Ints(axis+1))
	}
	trailing := make([]int, len(x.Type.Shape)-axis) // axes of size 1 after the rows, and after their elements
	for i := range trailing {
		trailing[i] = 1
	}
	mask := b.Const(tensor.Of(in, append([]int{count, longest}, trailing[1:]...)...))
	rows = b.Op("Where", mask, rows, op.ScalarLike(b, x, 0)) // repeated elements do not count
	sum := b.OpA("ReduceSum", op.Attrs("keepdims", 0), rows, b.Ints(axis+1))
	return b.Op("Div", sum, op.Cast(b, b.Const(tensor.Of(length, append([]int{count}, trailing[1:]...)...)), x.Type.Elem))
}
