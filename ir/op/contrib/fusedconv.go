package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [FusedConv].
const (
	fusedConvX = iota
	fusedConvW
	fusedConvB
	fusedConvZ
)

// FusedConv is Conv, plus a tensor, and then an activation.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.FusedConv
var FusedConv = &op.Op{
	Name:   "FusedConv",
	Domain: op.Microsoft,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "activation", Kind: op.String, Default: ""},
		{Name: "activation_params", Kind: op.Floats},
		{Name: "auto_pad", Kind: op.String, Default: "NOTSET", Values: op.AutoPads},
		{Name: "dilations", Kind: op.Ints},
		{Name: "group", Kind: op.Int, Default: 1},
		{Name: "kernel_shape", Kind: op.Ints},
		{Name: "pads", Kind: op.Ints},
		{Name: "strides", Kind: op.Ints},
	},
	Inputs: []op.Port{
		fusedConvX: {Name: "X", Types: elem.Floats},
		fusedConvW: {Name: "W", Like: "X"},
		fusedConvB: {Name: "B", Like: "X", Optional: true},
		fusedConvZ: {Name: "Z", Like: "X", Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Expand:  fusedConv,
}

func fusedConv(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	attrs := given(n, "auto_pad", "dilations", "group", "kernel_shape", "pads", "strides")
	y := plus(b, b.OpA("Conv", attrs, n.In[fusedConvX], n.In[fusedConvW], n.Arg(fusedConvB)), n.Arg(fusedConvZ))
	y, err := activated(b, y, n.Str("activation"), n.Floats("activation_params"))
	return []*ir.Value{y}, err
}
