package plan_test

import (
	"fmt"
	"log"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// A plan says which kernels run, and where each value is.
func ExampleMake() {
	m, err := ir.Parse("norm.ir", `module "norm"
opset 21
func @main(%x: float32[1000]) -> (%y) {
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
	for _, s := range p.Steps {
		for _, c := range plan.Calls(s) {
			fmt.Println(c.Kernel, c.Node.Out[0].Name)
		}
	}
	fmt.Print(p.Memory())
	fmt.Println(p.Verify())
	// Output:
	// Mul s
	// ReduceSum sum
	// Sqrt y
	// arena  4096 bytes
	// peak   4096 bytes at step 2 of 3: node "sum" (ReduceSum)
	//
	// live at the peak
	//   4032  s    float32[1000]  steps 1 to 2
	//   64    sum  float32[1]     steps 2 to 3
	//
	// places
	//   arena   2 values  4096 bytes
	//   input   1 value   the caller's
	//   output  1 value   the caller's
	// <nil>
}
