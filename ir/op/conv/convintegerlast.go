package conv

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [ConvIntegerLast].
const (
	convIntegerLastX = iota
	convIntegerLastW
	convIntegerLastXZeroPoint
	convIntegerLastShift
)

// ConvIntegerLast is [ConvInteger] for images with the channels last and constant filters of int8 minus a
// shift. Input 3, if present, has a shift for each filter. With the attribute planes, the images are as for
// [ConvLast].
var ConvIntegerLast = &op.Op{
	Name:   "ConvIntegerLast",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  op.NewestAttrs(convAttrs, op.Attr{Name: "planes", Kind: op.Int, Default: 0}),
	Inputs: []op.Port{
		convIntegerLastX:          {Name: "x", Types: elem.Bytes},
		convIntegerLastW:          {Name: "w", Types: elem.Bytes},
		convIntegerLastXZeroPoint: {Name: "x_zero_point", Like: "x", Optional: true},
		convIntegerLastShift:      {Name: "shift", Types: elem.Int32s, Optional: true},
	},
	Outputs: []op.Port{{Name: "y", Types: elem.Int32s}},
	Infer:   inferConvIntegerLast,
	Lower:   lowerConvIntegerLast,
	Agree:   agreeConvLast,
	FLOPs:   convWork,
	Stops:   op.StopAfterGradients,
}

// lastConvInteger moves filters of uint8, and their zero points, by 128.
func lastConvInteger(l *op.Last) *ir.Value {
	w, zero := l.In[convIntegerW], l.Arg(convIntegerWZeroPoint)
	if !w.IsConst() || zero != nil && !zero.IsConst() || len(op.Shape(w)) < 3 {
		return nil
	}
	in, attrs := []*ir.Value{l.In[convIntegerX], op.SignedBytes(w), l.Arg(convIntegerXZeroPoint)}, slices.Clone(l.Attrs)
	if planes(l) {
		attrs.Set("planes", int64(1))
	} else if in[0] = l.Of(in[0]); in[0] == nil {
		return nil
	}
	if shift := filterShifts(zero, w.Type.Elem, w.Const.Shape[0]); shift != nil {
		in = append(in, l.B.Const(tensor.Of(shift, len(shift))))
	}
	return l.Own("ConvIntegerLast", attrs, in...)
}

// filterShifts returns a shift for each filter, nil if all are zero. No zero point is
// zero.
func filterShifts(zero *ir.Value, elem tensor.DType, filters int) []int32 {
	zeros := []int8{0}
	if zero != nil {
		zeros = tensor.Data[int8](op.SignedBytes(zero).Const)
	} else if elem == tensor.Uint8 {
		zeros = []int8{-128}
	}
	shift, any := make([]int32, filters), false
	for m := range shift {
		shift[m] = int32(zeros[m%len(zeros)])
		any = any || shift[m] != 0
	}
	if !any {
		return nil
	}
	return shift
}

func inferConvIntegerLast(c *op.Infer) error {
	x, err := c.ByteTensor(convIntegerLastX)
	if err != nil {
		return err
	}
	if w := c.In[convIntegerLastW]; !w.IsConst() || w.Type.Elem != tensor.Int8 {
		return fmt.Errorf("filters are %s, want constants of int8", w.Type)
	}
	cv, err := convLastOf(c.Node)
	if err != nil {
		return err
	}
	if err := c.CheckFactors(convIntegerLastXZeroPoint, x.Elem, ir.C(1), ir.C(1)); err != nil {
		return err
	}
	if s := c.Arg(convIntegerLastShift); s != nil && (!s.IsConst() || s.Type.Elem != tensor.Int32 || !ir.Size(op.Shape(s)).Equal(cv.filters)) {
		return fmt.Errorf("shifts are %s, want constants of int32 for %s filters", s.Type, cv.filters)
	}
	c.OutTensor(0, tensor.Int32, channelsLast(cv.shape())...)
	return nil
}

func lowerConvIntegerLast(l *op.Lowering) error {
	cv, err := convLastOf(l.Node)
	if err != nil {
		return err
	}
	x, zero, shift := l.In[convIntegerLastX], l.Arg(convIntegerLastXZeroPoint), l.Arg(convIntegerLastShift)
	totals := ir.NewConst(l.In[convIntegerLastW].Name+"_totals", filterTotals(l.In[convIntegerLastW], shift))
	f := quantFilters(l.Node, cv, shift)
	switch {
	case f.depthwise:
		l.Call("DepthwiseInteger", l.Out[0], x, f.Packed, totals, zero, depthwiseShape(cv.images, f.count, f.arg()))
	case f.transforms:
		l.Call("ConvIntegerWinograd", l.Out[0], x, f.Packed, f.transformed(l.In[convIntegerLastW], cv, l.Target), totals, shift, zero, convShape(cv.images, f.channels, f.count, 1, f.arg()))
	default:
		l.Call("ConvIntegerLast", l.Out[0], x, f.Packed, totals, shift, zero, convShape(cv.images, f.channels, f.count, cv.groups, f.arg()))
	}
	return nil
}

// filterTotals returns the sum of the elements of each filter, minus its shift.
func filterTotals(w, shift *ir.Value) *tensor.Tensor {
	filters := w.Const.Shape[0]
	sums, size := make([]int32, filters), w.Const.Len()/max(filters, 1)
	for i, v := range tensor.Data[int8](w.Const) {
		sums[i/size] += int32(v)
	}
	if shift != nil {
		for m, s := range tensor.Data[int32](shift.Const) {
			sums[m] -= s * int32(size)
		}
	}
	return tensor.Of(sums, filters)
}
