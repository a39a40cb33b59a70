package train_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/train"
)

// A network of one layer becomes a training step with a loss, and with the states that it updates.
func ExampleBuild() {
	m, err := ir.Parse("layer.ir", `module "layer"
opset 21
func @main(%x: float32[batch,2]) -> (%y) {
  const %w: float32[2,1] = [0.5, -0.5]
  %y = MatMul(%x, %w) : float32[batch,1]
}`)
	if err != nil {
		log.Fatal(err)
	}
	sgd, err := train.NewOptimizer("sgd")
	if err != nil {
		log.Fatal(err)
	}
	p, err := train.Build(m, train.Options{Loss: train.Loss{Name: "mse"}, Optimizer: sgd})
	if err != nil {
		log.Fatal(err)
	}
	signature, _, _ := strings.Cut(ir.PrintFunc(p.Step.Main), " {\n")
	fmt.Println(signature)
	for _, s := range p.Step.Main.State {
		fmt.Println(s.Kind, s.Param.Name, s.Param.Type)
	}
	// Output:
	// @main(%x: float32[batch,2], %target: float32[batch,1], %learning_rate: float32[]) -> (%loss)
	// parameter w float32[2,1]
	// optimizer_slot step int64[]
}
