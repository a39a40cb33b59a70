package conv

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Im2Col returns the blocks of images that a convolution reads, each as a column, which [Col2Im] sums up
// again. Images have the shape (N, C, H, W), columns (N, C·the elements of a block, the number of blocks).
var Im2Col = &op.Op{
	Name:   "Im2Col",
	Domain: op.Tensors,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "dilations", Kind: op.Ints, Default: []int64{1, 1}},
		{Name: "kernel_shape", Kind: op.Ints, Required: true},
		{Name: "pads", Kind: op.Ints, Default: []int64{0, 0, 0, 0}},
		{Name: "strides", Kind: op.Ints, Default: []int64{1, 1}},
	},
	Inputs:  []op.Port{{Name: "x", Types: elem.Numbers}},
	Outputs: []op.Port{{Name: "columns", Like: "x"}},
	Infer:   inferIm2Col,
	Expand:  expandIm2Col,
}

// maxTaps is the maximum number of elements of all blocks along an axis, whose places are constants.
const maxTaps = 1 << 24

// blocks returns the number of blocks along both axes.
func blocks(n *ir.Node, x ir.Type) (count [2]int, err error) {
	kernel, pads, strides, dilations := n.Ints("kernel_shape"), n.Ints("pads"), n.Ints("strides"), n.Ints("dilations")
	if len(x.Shape) != 4 || len(kernel) != 2 || len(pads) != 4 || len(strides) != 2 || len(dilations) != 2 {
		return count, fmt.Errorf("input is %s with kernel_shape %v, pads %v, strides %v and dilations %v, want a rank of 4, and 2, 4, 2 and 2 sizes", x, kernel, pads, strides, dilations)
	}
	if _, ok := x.Shape[1].Const(); !ok {
		return count, fmt.Errorf("input is %s, want a known number of channels", x)
	}
	for i := range count {
		size, ok := x.Shape[2+i].Const()
		if !ok || kernel[i] < 1 || strides[i] < 1 || dilations[i] < 1 || pads[i] < 0 || pads[2+i] < 0 {
			return count, fmt.Errorf("input is %s with kernel_shape %v, pads %v, strides %v and dilations %v, want known sizes, and no pads below 0 or others below 1", x, kernel, pads, strides, dilations)
		}
		free := size + pads[i] + pads[2+i] - (kernel[i]-1)*dilations[i] - 1
		if free < 0 {
			return count, fmt.Errorf("input is %s, which is smaller than a block of %v", x, kernel)
		}
		count[i] = free/strides[i] + 1
		if count[i] > maxTaps/kernel[i] {
			return count, fmt.Errorf("%d blocks of %d elements along axis %d, want at most %d elements", count[i], kernel[i], 2+i, maxTaps)
		}
	}
	return count, nil
}

func inferIm2Col(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	count, err := blocks(c.Node, x)
	if err != nil {
		return err
	}
	kernel := c.Ints("kernel_shape")
	c.OutTensor(0, x.Elem, x.Shape[0], x.Shape[1].Mul(ir.C(kernel[0]*kernel[1])), ir.C(count[0]*count[1]))
	return nil
}

func expandIm2Col(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	x := n.In[op.X]
	count, err := blocks(n, x.Type)
	if err != nil {
		return nil, err
	}
	kernel, pads, strides, dilations := n.Ints("kernel_shape"), n.Ints("pads"), n.Ints("strides"), n.Ints("dilations")
	channels, _ := x.Type.Shape[1].Const()
	y := x
	if slices.Max(pads) > 0 {
		y = b.Op("Pad", x, b.Ints(0, 0, pads[0], pads[1], 0, 0, pads[2], pads[3]))
	}
	y = taps(b, y, 2, count[0], kernel[0], strides[0], dilations[0]) // N, C, blocks, rows of a block, W
	y = taps(b, y, 4, count[1], kernel[1], strides[1], dilations[1])
	y = b.OpA("Transpose", op.Attrs("perm", []int{0, 1, 3, 5, 2, 4}), y)
	return []*ir.Value{b.Op("Reshape", y, b.Ints(0, channels*kernel[0]*kernel[1], count[0]*count[1]))}, nil
}
