package main

import (
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/pkg/core/dtypes"
	. "github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/shapes"
	"github.com/gomlx/gomlx/pkg/core/tensors"
	"github.com/gomlx/gomlx/pkg/ml/context"
	"github.com/gomlx/gomlx/pkg/ml/layers"
	"github.com/gomlx/gomlx/pkg/ml/layers/activations"
)

// model is a network and a batch to train it on.
type model struct {
	graph         func(ctx *context.Context, spec any, in []*Node) []*Node
	input, labels *tensors.Tensor
}

var random = rand.New(rand.NewPCG(1, 1))

var models = map[string]model{
	"mlp":         {mlp, floats(64, 784), classes(10, 64, 1)},
	"lenet":       {lenet, floats(64, 28, 28, 1), classes(10, 64, 1)},
	"transformer": {transformer, classes(96, 32, 64), classes(96, 32, 64, 1)},
}

func floats(shape ...int) *tensors.Tensor {
	v := make([]float32, size(shape))
	for i := range v {
		v[i] = random.Float32()
	}
	return tensors.FromFlatDataAndDimensions(v, shape...)
}

func classes(n int, shape ...int) *tensors.Tensor {
	v := make([]int32, size(shape))
	for i := range v {
		v[i] = random.Int32N(int32(n))
	}
	return tensors.FromFlatDataAndDimensions(v, shape...)
}

func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func mlp(ctx *context.Context, _ any, in []*Node) []*Node {
	x := in[0]
	x = activations.Relu(layers.Dense(ctx.In("a"), x, true, 512))
	x = activations.Relu(layers.Dense(ctx.In("b"), x, true, 256))
	return []*Node{layers.Dense(ctx.In("c"), x, true, 10)}
}

func lenet(ctx *context.Context, _ any, in []*Node) []*Node {
	x := in[0]
	x = activations.Relu(conv(ctx.In("a"), x, 2, 6))
	x = pool(x)
	x = activations.Relu(conv(ctx.In("b"), x, 0, 16))
	x = pool(x)
	x = Reshape(x, 64, 400)
	x = activations.Relu(layers.Dense(ctx.In("c"), x, true, 120))
	x = activations.Relu(layers.Dense(ctx.In("d"), x, true, 84))
	return []*Node{layers.Dense(ctx.In("e"), x, true, 10)}
}

// conv returns a 5×5 convolution as gathered rows of pixels and a product, as the backend has no operation
// for the gradient of a convolution.
func conv(ctx *context.Context, x *Node, pad, filters int) *Node {
	const kernel = 5
	d := x.Shape().Dimensions
	batch, height, width, channels := d[0], d[1], d[2], d[3]
	oh, ow := height+2*pad-kernel+1, width+2*pad-kernel+1
	var index [][]int32
	for i := range oh * ow * kernel * kernel {
		row := i/(ow*kernel*kernel) + i/kernel%kernel - pad
		col := i/(kernel*kernel)%ow + i%kernel - pad
		at := int32(height * width) // a row of zeros
		if row >= 0 && row < height && col >= 0 && col < width {
			at = int32(row*width + col)
		}
		index = append(index, []int32{at})
	}
	pixels := Reshape(TransposeAllAxes(x, 1, 2, 0, 3), height*width, batch*channels)
	pixels = Concatenate([]*Node{pixels, Zeros(x.Graph(), shapes.Make(dtypes.Float32, 1, batch*channels))}, 0)
	patches := Reshape(Gather(pixels, Const(x.Graph(), index)), oh*ow, kernel*kernel, batch, channels)
	patches = Reshape(TransposeAllAxes(patches, 2, 0, 1, 3), batch*oh*ow, kernel*kernel*channels)
	return Reshape(layers.Dense(ctx, patches, true, filters), batch, oh, ow, filters)
}

// pool is MaxPool(x).Window(2), in operations that the backend can differentiate.
func pool(x *Node) *Node {
	d := x.Shape().Dimensions
	return ReduceMax(Reshape(x, d[0], d[1]/2, 2, d[2]/2, 2, d[3]), 2, 4)
}

func transformer(ctx *context.Context, _ any, in []*Node) []*Node {
	text := in[0]
	g := text.Graph()
	x := layers.Embedding(ctx.In("characters"), ExpandDims(text, -1), dtypes.Float32, 96, 64)
	positions := layers.Embedding(ctx.In("positions"), ExpandDims(Iota(g, text.Shape(), 1), -1), dtypes.Float32, 64, 64)
	x = Add(x, positions)
	for _, name := range []string{"0", "1", "2", "3"} {
		x = block(ctx.In(name), x)
	}
	x = layers.LayerNormalization(ctx.In("norm"), x, -1).Done()
	return []*Node{layers.Dense(ctx.In("head"), x, true, 96)}
}

func block(ctx *context.Context, x *Node) *Node {
	const heads, depth, window = 4, 16, 64
	g := x.Graph()
	h := layers.LayerNormalization(ctx.In("n1"), x, -1).Done()
	q := layers.Dense(ctx.In("q"), h, false, heads, depth)
	k := layers.Dense(ctx.In("k"), h, false, heads, depth)
	v := layers.Dense(ctx.In("v"), h, false, heads, depth)
	a := MulScalar(Einsum("bqhd,bkhd->bhqk", q, k), 1/math.Sqrt(depth))
	mask := BroadcastToShape(ExpandDims(ExpandDims(LowerTriangular(g, window), 0), 0), a.Shape())
	a = Softmax(Where(mask, a, MulScalar(OnesLike(a), -1e9)), -1)
	y := Einsum("bhqk,bkhd->bqhd", a, v)
	x = Add(x, layers.Dense(ctx.In("o"), Reshape(y, 32, window, heads*depth), false, heads*depth))
	h = layers.LayerNormalization(ctx.In("n2"), x, -1).Done()
	h = activations.Gelu(layers.Dense(ctx.In("up"), h, true, 4*heads*depth))
	return Add(x, layers.Dense(ctx.In("down"), h, true, heads*depth))
}
