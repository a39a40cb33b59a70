package nn_test

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/dsl/nn"
)

func Example() {
	net := nn.Sequential{
		&nn.Conv2D{In: 1, Out: 8, Kernel: 3, Padding: 1},
		nn.ReLU,
		&nn.MaxPool2D{Kernel: 2},
		nn.Flatten,
		&nn.Linear{In: 8 * 14 * 14, Out: 10},
	}
	model, err := nn.Export(net, dsl.Float32("batch", 1, 28, 28), nn.Options{Name: "cnn", Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(model) > 4*(8*14*14*10))
	for name, p := range nn.Parameters(net) {
		fmt.Println(name, p.Shape)
	}
	// Output:
	// true
	// 0.weight [8 1 3 3]
	// 0.bias [8]
	// 4.weight [10 1568]
	// 4.bias [10]
}

// Block is a layer of a transformer. A struct whose Forward computes is a module, and the modules in its
// exported fields are its parts.
type Block struct{ Attention, Feed nn.Residual }

// NewBlock returns a layer with the same parts as PyTorch's with norm_first.
func NewBlock(size, heads int) *Block {
	return &Block{
		Attention: nn.Residual{Body: nn.Sequential{
			&nn.LayerNorm{Size: size},
			&nn.MultiHeadAttention{Size: size, Heads: heads, Causal: true},
		}},
		Feed: nn.Residual{Body: nn.Sequential{
			&nn.LayerNorm{Size: size},
			&nn.Linear{In: size, Out: 4 * size}, nn.GELU, &nn.Linear{In: 4 * size, Out: size},
		}},
	}
}

func (b *Block) Forward(g *dsl.Graph, x dsl.Value) dsl.Value {
	return b.Feed.Forward(g, b.Attention.Forward(g, x))
}

func ExampleModule() {
	net := nn.Sequential{&nn.Embedding{Count: 96, Size: 64}, NewBlock(64, 4), &nn.Linear{In: 64, Out: 96}}
	_, err := nn.Export(net, dsl.Int64("batch", 32), nn.Options{})
	fmt.Println(err)
	for name := range nn.Parameters(net) {
		if strings.Contains(name, "attention.body.1") {
			fmt.Println(name)
		}
	}
	// Output:
	// <nil>
	// 1.attention.body.1.in_proj_weight
	// 1.attention.body.1.in_proj_bias
	// 1.attention.body.1.out_proj.weight
	// 1.attention.body.1.out_proj.bias
}

// Another initializer for all weights. Parameters have the values with which the network is
// exported.
func ExampleParameters() {
	net := nn.Sequential{&nn.Linear{In: 4, Out: 8}, nn.ReLU, &nn.Linear{In: 8, Out: 2}}
	for name, p := range nn.Parameters(net) {
		if strings.HasSuffix(name, "weight") {
			p.Init = nn.KaimingNormal(0)
		} else {
			p.Init = nn.Zeros()
		}
	}
	if err := nn.Initialize(net, 1); err != nil {
		fmt.Println(err)
		return
	}
	for name, p := range nn.Parameters(net) {
		fmt.Println(name, p.Data)
	}
	// Output:
	// 0.weight float32[8,4]
	// 0.bias float32[8]
	// 2.weight float32[2,8]
	// 2.bias float32[2]
}
