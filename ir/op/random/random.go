package random

import (
	"fmt"
	"hash/fnv"
	"sort"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Common parts of operators that draw random numbers. The numbers depend on a node's seed or, if it has none,
// on its name: every run draws the same ones, unless the node has a counter, see [Count].

// seed names the stream that n draws from; without a counter it fits an int of
// 32 bits.
func seed(n *ir.Node) ir.Dim {
	text := "node " + n.Name
	if n.Has("seed") {
		text = fmt.Sprint("seed ", n.Float("seed"))
	}
	h := fnv.New32a()
	h.Write([]byte(text))
	s := ir.C(int(h.Sum32() >> 1))
	if sym := n.Str("counter"); sym != "" {
		s = s.Add(ir.Sym(sym).Mul(ir.C(streamStep)))
	}
	return s
}

// streamStep is the distance between the streams of consecutive runs: an odd number without a pattern.
const streamStep = 0x1e3779b1

// inferRandom infers a shape from an attribute.
func inferRandom(c *op.Infer) error {
	shape := c.Ints("shape")
	for _, n := range shape {
		if n < 0 {
			return fmt.Errorf("shape is %v, want no negative axis", shape)
		}
	}
	to, err := op.DtypeAttr(c.Node, "dtype", tensor.Float32)
	if err != nil {
		return err
	}
	c.OutTensor(0, to, ir.Cs(shape...)...)
	return elem.Floats.CheckAttr("dtype", to)
}

// inferRandomLike is inference for the shape of the input.
func inferRandomLike(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	to, err := op.DtypeAttr(c.Node, "dtype", x.Elem)
	if err != nil {
		return err
	}
	c.OutTensor(0, to, x.Shape...)
	return elem.Floats.CheckAttr("dtype", to)
}

// smallResult reports whether n makes floats smaller than float32.
func smallResult(n *ir.Node) bool { return n.Out[0].Type.Elem.IsSmallFloat() }

// randomInFloat32 draws float32 and casts.
func randomInFloat32(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	attrs := append(ir.Attrs{}, n.Attrs...)
	attrs.Set("dtype", int64(tensor.Float32))
	return []*ir.Value{op.Cast(b, b.OpA(n.Op, attrs, n.In...), n.Out[0].Type.Elem)}, nil
}

// uniformInFloat32 is [randomInFloat32] of numbers below the upper boundary, to which a smaller float would round the last of
// them.
func uniformInFloat32(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	attrs := append(ir.Attrs{}, n.Attrs...)
	attrs.Set("dtype", int64(tensor.Float32))
	x, low, high := b.OpA(n.Op, attrs, n.In...), n.Float("low"), n.Float("high")
	switch to := n.Out[0].Type.Elem; {
	case low < high:
		x = b.Op("Min", x, op.ScalarLike(b, x, below(to, high)))
	case low > high:
		x = b.Op("Max", x, op.ScalarLike(b, x, -below(to, -high)))
	}
	return []*ir.Value{op.Cast(b, x, n.Out[0].Type.Elem)}, nil
}

// below returns the largest number of type t, float16 or bfloat16, that is smaller than limit.
func below(t tensor.DType, limit float64) float64 {
	number, infinity := func(k uint16) float32 { return tensor.F16(k).Float32() }, 0x7c00
	if t == tensor.BFloat16 {
		number, infinity = func(k uint16) float32 { return tensor.BF16(k).Float32() }, 0x7f80
	}
	at := func(k int) float64 { // in ascending order; number 0 is 0
		if k < 0 {
			return -float64(number(uint16(-k)))
		}
		return float64(number(uint16(k)))
	}
	k := sort.Search(2*infinity, func(k int) bool { return at(k-infinity+1) >= limit })
	return at(k - infinity)
}

func lowerRandomNormal(l *op.Lowering) error {
	l.Call("RandomNormal", l.Out[0], l.Float("mean"), l.Float("scale"), seed(l.Node))
	return nil
}

func lowerRandomUniform(l *op.Lowering) error {
	l.Call("RandomUniform", l.Out[0], l.Float("low"), l.Float("high"), seed(l.Node))
	return nil
}

// Count makes a node draw different random numbers for each value of a symbol.
func Count(n *ir.Node, sym string) { n.Attrs.Set("counter", sym) }
