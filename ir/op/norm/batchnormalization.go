package norm

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [BatchNormalization].
const (
	batchNormX = iota
	batchNormScale
	batchNormB
	batchNormInputMean
	batchNormInputVar
)

// BatchNormalization normalizes each channel to mean 0 and variance 1, and then scales and shifts it. The
// moments are operands; in training mode they are those of the batch, and the running moments are updated.
// The fourth and the fifth output, the moments of the batch, exist in versions before 14.
//
// https://onnx.ai/onnx/operators/onnx__BatchNormalization.html
var BatchNormalization = &op.Op{
	Name:  "BatchNormalization",
	Since: []int{1, 6, 7, 9, 14, 15},
	Attrs: []op.Attr{
		{Name: "consumed_inputs", Kind: op.Ints, Required: true, Until: 6},
		{Name: "epsilon", Kind: op.Float, Default: 1e-5},
		{Name: "is_test", Kind: op.Int, Default: 0, Until: 7},
		{Name: "momentum", Kind: op.Float, Default: 0.9},
		{Name: "spatial", Kind: op.Int, Default: 1, Until: 9},
		{Name: "training_mode", Kind: op.Int, Default: 0, Since: 14},
	},
	Inputs: []op.Port{
		batchNormX:         {Name: "X", Types: elem.Floats},
		batchNormScale:     {Name: "scale", Types: elem.Floats},
		batchNormB:         {Name: "B", Like: "scale"},
		batchNormInputMean: {Name: "input_mean", Types: elem.Floats},
		batchNormInputVar:  {Name: "input_var", Like: "input_mean"},
	},
	Outputs: []op.Port{
		{Name: "Y", Like: "X"},
		{Name: "running_mean", Like: "input_mean", Optional: true},
		{Name: "running_var", Like: "input_mean", Optional: true},
		{Name: "saved_mean", Like: "X", Optional: true},
		{Name: "saved_var", Like: "X", Optional: true},
	},
	Infer:   inferBatchNorm,
	Upgrade: upgradeBatchNorm,
	Grad:    batchNormGrad,
	Lower:   lowerBatchNorm,
	Last:    &op.LastForm{Build: lastBatchNorm},
	InPlace: true,
	Widen:   true,
	Precise: []int{1, 2, 3, 4},

	Fixed:     []int{batchNormInputMean, batchNormInputVar},
	Running:   runningMoments,
	Inference: inferenceBatchNorm,
	Trains:    func(n *ir.Node) bool { return n.Int("training_mode") != 0 },
	FLOPs:     op.PerInput(2),
}

// Before version 14 a node trains if it has more than one output.
func upgradeBatchNorm(_ *ir.Builder, n *ir.Node) error {
	if n.Version < 9 && n.Int("spatial") == 0 {
		return fmt.Errorf("spatial is 0: moments for each element of a channel are not supported")
	}
	n.Attrs.Delete("consumed_inputs")
	n.Attrs.Delete("is_test")
	n.Attrs.Delete("spatial")
	if n.Version < 14 {
		for _, v := range n.Out[min(1, len(n.Out)):] {
			if v != nil {
				n.Attrs.Set("training_mode", int64(1))
			}
		}
	}
	return nil
}

func inferBatchNorm(c *op.Infer) error {
	x, err := c.FloatTensor(batchNormX)
	if err != nil {
		return err
	}
	if len(x.Shape) < 1 {
		return fmt.Errorf("input %q is a scalar", c.In[batchNormX].Name)
	}
	channels := ir.C(1)
	if len(x.Shape) > 1 {
		channels = x.Shape[1]
	}
	for i := 1; i < 5; i++ {
		if _, err := c.FloatRank(i, 1); err != nil {
			return err
		}
		if err := c.HasShape(i, channels); err != nil {
			return err
		}
	}
	if a, b := c.Type(batchNormScale).Elem, c.Type(batchNormB).Elem; a != b {
		return fmt.Errorf("scale is %s, and the bias is %s", a, b)
	}
	if a, b := c.Type(batchNormInputMean).Elem, c.Type(batchNormInputVar).Elem; a != b {
		return fmt.Errorf("the mean is %s, and the variance is %s", a, b)
	}
	c.Out(0, x)
	for i := 1; i < len(c.Node.Out); i++ {
		if c.Int("training_mode") == 0 && c.Res(i) != nil {
			return fmt.Errorf("there is an output %d, which training_mode 0 does not have", i)
		}
		c.Out(i, c.Type(batchNormInputMean))
	}
	return nil
}

func lowerBatchNorm(l *op.Lowering) error {
	x, scale, bias, mean, variance := l.In[batchNormX], l.In[batchNormScale], l.In[batchNormB], l.In[batchNormInputMean], l.In[batchNormInputVar]
	channels, inner := op.Len(scale), ir.C(1)
	if len(op.Shape(x)) > 2 {
		inner = ir.Size(op.Shape(x)[2:])
	}
	if l.Int("training_mode") != 0 {
		m, v := l.OutOr(3, mean.Type), l.OutOr(4, mean.Type)
		l.Call("BatchMoments", m, v, x, inner)
		momentum := l.Float("momentum")
		if y := l.Res(1); y != nil {
			l.Call("Blend", y, mean, m, momentum)
		}
		if y := l.Res(2); y != nil {
			l.Call("Blend", y, variance, v, momentum)
		}
		mean, variance = m, v
	}
	a, b := l.Scratch(x.Type.Elem, channels), l.Scratch(x.Type.Elem, channels)
	l.Call("BatchNorm", a, b, scale, bias, mean, variance, l.Float("epsilon"))
	if y := l.Res(0); y != nil {
		l.Call("Affine", y, x, a, b, inner)
	}
	return nil
}

// in training, for x̂ = (x-mean)/σ: dx = scale/σ·(dy - mean(dy) - x̂·mean(dy·x̂))
func batchNormGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	if dy[0] == nil {
		return nil // the running moments are not differentiated
	}
	x, scale := n.In[batchNormX], n.In[batchNormScale]
	if n.Int("training_mode") != 0 {
		return op.OwnNodes(b, "BatchNormGrad", 3, op.Attrs("epsilon", n.Float("epsilon")), dy[0], x, scale)
	}
	return fixedBatchNormGrad(b, n, dy[0])
}

// fixedBatchNormGrad returns the gradient for moments that are given, for
// f = 1/√(variance+ε):
//
//	dx = dy·scale·f, dscale = Σ dy·(x-mean)·f, dbias = Σ dy
//	dmean = -Σ dy·scale·f, dvariance = -Σ dy·scale·(x-mean)·f³/2
func fixedBatchNormGrad(b *ir.Builder, n *ir.Node, dy *ir.Value) []*ir.Value {
	x := n.In[batchNormX]
	elem := x.Type.Elem
	var in [5]*ir.Value // of the type of x
	for i, v := range n.In {
		in[i] = op.CastTo(b, v, elem)
	}
	f := b.Op("Reciprocal", b.Op("Sqrt", b.Op("Add", in[4], b.Scalar(elem, n.Float("epsilon")))))
	a := b.Op("Mul", in[1], f)
	dx := b.Op("Mul", dy, perChannel(b, a, x))
	sum := channelSum(b, dy)
	dot := channelSum(b, b.Op("Mul", dy, b.Op("Sub", x, perChannel(b, in[3], x))))
	half := b.Op("Mul", b.Op("Mul", f, f), b.Scalar(elem, -0.5))
	out := []*ir.Value{dx, b.Op("Mul", dot, f), sum, b.Op("Neg", b.Op("Mul", sum, a)), b.Op("Mul", b.Op("Mul", dot, a), half)}
	for i, v := range out {
		out[i] = op.CastTo(b, v, n.In[i].Type.Elem)
	}
	return out
}

// perChannel adds axes to a vector so that it broadcasts along the channels of x.
func perChannel(b *ir.Builder, v, x *ir.Value) *ir.Value {
	rank := len(op.Shape(x))
	if rank < 3 {
		return v
	}
	return b.Op("Unsqueeze", v, b.Ints(op.AllAxes(rank - 1)[1:]...))
}

// channelSum returns the sum over all axes except the channels, axis 1. A vector has one channel.
func channelSum(b *ir.Builder, v *ir.Value) *ir.Value {
	if len(op.Shape(v)) == 1 {
		return b.Op("ReduceSum", v)
	}
	return op.SumToChannels(b, v)
}

// lastBatchNorm converts a BatchNormalization to a convolution with a filter of one tap for each channel.
func lastBatchNorm(l *op.Last) *ir.Value {
	var c [5][]float32
	for i := 1; i < 5; i++ {
		if !l.In[i].IsConst() || l.In[i].Type.Elem != tensor.Float32 {
			return nil
		}
		c[i] = tensor.Data[float32](l.In[i].Const)
	}
	if l.Int("training_mode") != 0 || l.Res(0).Type.Elem != tensor.Float32 {
		return nil
	}
	scale, shift, eps := make([]float32, len(c[1])), make([]float32, len(c[1])), l.Float("epsilon")
	for i := range scale {
		f := float64(c[1][i]) / math.Sqrt(float64(c[4][i])+eps)
		scale[i], shift[i] = float32(f), float32(float64(c[2][i])-float64(c[3][i])*f)
	}
	return l.EachChannel(l.In[batchNormX], scale, l.B.Const(tensor.Of(shift, len(shift))), "")
}
