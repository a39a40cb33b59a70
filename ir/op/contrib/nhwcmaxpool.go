package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// NhwcMaxPool is MaxPool of bytes with the channels last.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.NhwcMaxPool
var NhwcMaxPool = &op.Op{
	Name:   "NhwcMaxPool",
	Domain: op.Microsoft,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "auto_pad", Kind: op.String, Default: "NOTSET", Values: op.AutoPads},
		{Name: "ceil_mode", Kind: op.Int, Default: 0},
		{Name: "dilations", Kind: op.Ints},
		{Name: "kernel_shape", Kind: op.Ints, Required: true},
		{Name: "pads", Kind: op.Ints},
		{Name: "strides", Kind: op.Ints},
	},
	Inputs:  []op.Port{{Name: "x", Types: elem.Bytes}},
	Outputs: []op.Port{{Name: "y", Like: "x"}},
	Expand:  nhwcMaxPool,
}

func nhwcMaxPool(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if err := needRank(n, op.X, 4); err != nil {
		return nil, err
	}
	attrs := given(n, "auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "strides")
	y := b.OpA("MaxPool", attrs, channelsFirst(b, n.In[op.X]))
	return []*ir.Value{channelsLast(b, y)}, nil
}
