package codegen_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// A model goes through the passes, is planned, and becomes the files of a package. Method run holds its kernels.
func ExampleGenerate() {
	m, err := ir.Parse("norm.ir", `module "norm"
opset 21
func @main(%x: float32[n]) -> (%y) {
  %s = Mul(%x, %x) : ?
  %sum = ReduceSum(%s) : ?
  %y = Sqrt(%sum) : ?
}`)
	if err != nil {
		log.Fatal(err)
	}
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		log.Fatal(err)
	}
	p, err := plan.Make(m.Main, nil)
	if err != nil {
		log.Fatal(err)
	}
	files, err := codegen.Generate(m, p, codegen.Options{Package: "norm", Source: "norm.ir"})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range files {
		fmt.Println(f.Path)
		if f.Path == "graph.bb.go" {
			_, run, _ := strings.Cut(string(f.Bytes()), ") run(")
			fmt.Print("run(", run)
		}
	}
	// Output:
	// model.bb.go
	// graph.bb.go
	// run(in *Inputs, out *Outputs) {
	// 	c.n = in.N
	// 	c.s_2 = tensor.Take(&c.float32s[0], c.n)
	// 	cpu.Mul(c.s_2, in.X, in.X)                        // s
	// 	cpu.ReduceSum(c.sum, c.s_2, []int{c.n}, []int{1}) // sum
	// 	out.Y = tensor.Grow(out.Y, 1)
	// 	cpu.Sqrt(out.Y, c.sum) // y
	// }
	// weights.bb.go
	// tensors.bb.go
	// profile.bb.go
	// model_bb_test.go
	// weights.bin
}
