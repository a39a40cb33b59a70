package image

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Upsample is the predecessor of Resize, without modes for coordinates.
//
// https://onnx.ai/onnx/operators/onnx__Upsample.html
var Upsample = &op.Op{
	Name:  "Upsample",
	Since: []int{1, 7, 9, 10},
	Attrs: []op.Attr{
		{Name: "height_scale", Kind: op.Float, Required: true, Until: 7},
		{Name: "mode", Kind: op.String, Default: "nearest"},
		{Name: "scales", Kind: op.Floats, Required: true, Since: 7, Until: 9},
		{Name: "width_scale", Kind: op.Float, Required: true, Until: 7},
	},
	Inputs:  []op.Port{{Name: "X", Types: elem.Any}, {Name: "scales", Types: elem.Float32s, Since: 9}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferUpsample,
	Upgrade: upgradeUpsample,
	Fixed:   []int{1},
	Expand: func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
		r, err := upsampleAsResize(n)
		return []*ir.Value{op.Instead(b, n, "Resize", r.Attrs, r.In...)}, err
	},
}

func upgradeUpsample(b *ir.Builder, n *ir.Node) error {
	if n.Version >= 9 {
		return nil
	}
	scales := n.Floats("scales")
	if n.Version < 7 {
		scales = []float64{1, 1, n.Float("height_scale"), n.Float("width_scale")}
	}
	t := make([]float32, len(scales))
	for i, s := range scales {
		t[i] = float32(s)
	}
	for _, attr := range []string{"scales", "height_scale", "width_scale"} {
		n.Attrs.Delete(attr)
	}
	if len(n.In) != 1 {
		return fmt.Errorf("has %d inputs, want 1", len(n.In))
	}
	n.In = append(n.In, b.Const(tensor.Of(t, len(t))))
	return nil
}

// upsampleAsResize returns a Resize that is equivalent to n.
func upsampleAsResize(n *ir.Node) (*ir.Node, error) {
	r := *n
	r.Op, r.Version = "Resize", 0 // the newest
	r.Attrs = slices.Clone(n.Attrs)
	return &r, oldResize(&r)
}

func inferUpsample(c *op.Infer) error {
	r, err := upsampleAsResize(c.Node)
	if err != nil {
		return err
	}
	err = inferResize(&op.Infer{Node: r, Module: c.Module}) // it makes no assumptions about sizes
	c.Syms = r.Syms
	return err
}
