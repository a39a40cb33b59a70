package signal

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [STFT].
const (
	stftSignal = iota
	stftFrameStep
	stftWindow
	stftFrameLength
)

// STFT is the Fourier transforms of overlapping pieces of a signal, each
// multiplied by a window.
//
// https://onnx.ai/onnx/operators/onnx__STFT.html
var STFT = &op.Op{
	Name:  "STFT",
	Since: []int{17},
	Attrs: []op.Attr{{Name: "onesided", Kind: op.Int, Default: 1}},
	Inputs: []op.Port{
		stftSignal:      {Name: "signal", Types: elem.Floats},
		stftFrameStep:   {Name: "frame_step", Types: elem.Indices},
		stftWindow:      {Name: "window", Like: "signal", Optional: true},
		stftFrameLength: {Name: "frame_length", Like: "frame_step", Optional: true},
	},
	Outputs: []op.Port{{Name: "output", Like: "signal"}},
	Infer:   inferSTFT,
	Lower:   lowerSTFT,
	Widen:   true,

	Expand:  expandSTFT,
	Expands: op.Never,
}

func inferSTFT(c *op.Infer) error {
	x, err := c.Tensor(stftSignal)
	if err != nil {
		return err
	}
	if r := len(x.Shape); r != 2 && r != 3 {
		return fmt.Errorf("the signal has rank %d, want 3 (batch, length, 1 or 2), or 2", r)
	}
	x.Shape = signalShape(c.In[stftSignal])
	parts, ok := x.Shape[2].Const()
	if !ok || parts != 1 && parts != 2 {
		return fmt.Errorf("last axis of the signal is %s, want 1 or 2", x.Shape[2])
	}
	onesided := c.Int("onesided") != 0
	if onesided && parts == 2 {
		return fmt.Errorf("onesided is set for a complex signal")
	}
	n, err := frameLength(c, x.Shape[1])
	if err != nil {
		return err
	}
	step, err := readScalar(c, 1)
	if err != nil {
		return err
	}
	one := ir.C(1)
	frames := x.Shape[1].Sub(n).Div(step).Add(one)
	if f, ok := frames.Const(); ok && f < 1 || n.Is(0) {
		return fmt.Errorf("frame has %s elements, the signal %s", n, x.Shape[1])
	}
	if c.Module.FromData(step) || c.Arg(stftFrameLength) != nil && c.Module.FromData(scalar(c.In[stftFrameLength])) {
		frames = c.Fresh("frames")
	}
	bins := n
	if onesided {
		bins = n.Div(ir.C(2)).Add(one)
	}
	c.OutTensor(0, x.Elem, x.Shape[0], frames, bins, ir.C(2))
	return nil
}

// signalShape returns the shape of a signal. PyTorch omits the last axis of a real signal, which the
// specification requires.
func signalShape(x *ir.Value) []ir.Dim {
	if s := op.Shape(x); len(s) == 3 {
		return s
	}
	return []ir.Dim{op.Shape(x)[0], op.Shape(x)[1], ir.C(1)}
}

// frameLength returns the length of a frame: that of the window, or the value of an operand, or else the
// length of the signal.
func frameLength(c *op.Infer, signal ir.Dim) (ir.Dim, error) {
	if c.Arg(stftWindow) == nil && c.Arg(stftFrameLength) == nil {
		return signal, nil
	}
	if c.Arg(stftWindow) == nil {
		return readLength(c, 3)
	}
	w, err := c.Rank(stftWindow, 1)
	if err != nil {
		return signal, err
	}
	if c.Arg(stftFrameLength) == nil {
		return w.Shape[0], nil
	}
	n, err := readScalar(c, 3)
	a, aok := n.Const()
	b, bok := w.Shape[0].Const()
	if err == nil && aok && bok && a != b {
		return n, fmt.Errorf("frame has %d elements, the window %d", a, b)
	}
	return w.Shape[0], err
}

func lowerSTFT(l *op.Lowering) error {
	x, y := l.In[stftSignal], l.Out[0]
	n := op.Shape(x)[1]
	switch {
	case l.Arg(stftWindow) != nil:
		n = op.Len(l.In[stftWindow])
	case l.Arg(stftFrameLength) != nil:
		n = scalar(l.In[stftFrameLength])
	}
	k := countLength(l, 0, 3, op.Shape(y)[2])
	if k < len(l.Syms) {
		l.Count(k, "STFTFrames", signalShape(x), scalar(l.In[stftFrameStep]), n)
	}
	longest := op.Shape(y)[2]
	if l.Int("onesided") != 0 { // n/2+1 are left of n
		longest = longest.Mul(ir.C(2))
	}
	work := l.Scratch(tensor.Float64, longest, ir.C(6))
	l.Call("STFT", y, x, l.Arg(stftWindow), work, signalShape(x), op.Shape(y), scalar(l.In[stftFrameStep]), n)
	return nil
}

// expandSTFT returns a transform of pieces that are gathered and multiplied by the
// window.
func expandSTFT(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	x, y := n.In[stftSignal], n.Out[0]
	length := op.Shape(x)[1]
	switch {
	case n.Arg(stftWindow) != nil:
		length = op.Len(n.In[stftWindow])
	case n.Arg(stftFrameLength) != nil:
		length = scalar(n.In[stftFrameLength])
	}
	sizes, ok := ir.Static([]ir.Dim{op.Shape(y)[1], length, scalar(n.In[stftFrameStep])})
	if !ok {
		return nil, fmt.Errorf("%s frames of %s elements, want known numbers", op.Shape(y)[1], length)
	}
	frames, size, step := sizes[0], sizes[1], sizes[2]
	at := make([]int64, 0, frames*size)
	for t := range frames {
		for j := range size {
			at = append(at, int64(t*step+j))
		}
	}
	if len(op.Shape(x)) == 2 {
		x = b.Op("Unsqueeze", x, b.Ints(2))
	}
	pieces := b.OpA("Gather", op.Attrs("axis", 1), x, b.Const(tensor.Of(at, frames, size)))
	if n.Arg(stftWindow) != nil {
		pieces = b.Op("Mul", pieces, b.Op("Unsqueeze", n.In[stftWindow], b.Ints(1)))
	}
	return []*ir.Value{b.OpA("DFT", op.Attrs("onesided", n.Int("onesided")), pieces, nil, b.Ints(2))}, nil
}
