package ir_test

import (
	"fmt"
	"log"

	"github.com/bbgen/bbgen/ir"
)

// Sizes are polynomials over symbols: equal text means equal value.
func ExampleDim() {
	batch, heads := ir.Sym("batch"), ir.Sym("heads")
	size := batch.Mul(heads).Mul(ir.C(64))
	fmt.Println(size)
	fmt.Println(size.Div(heads))
	n, ok := size.Eval(func(symbol string) (int, bool) {
		return map[string]int{"batch": 2, "heads": 12}[symbol], true
	})
	fmt.Println(n, ok)
	// Output:
	// 64*batch*heads
	// 64*batch
	// 1536 true
}

// Tests are written in the text form of a graph.
func ExampleParse() {
	m, err := ir.Parse("double.ir", `module "double"
opset 21
func @main(%x: float32[n]) -> (%y) {
  %y = Add(%x, %x) : float32[n]
}`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Main.Body.Nodes[0].Op, ir.Verify(m))
	fmt.Print(ir.PrintFunc(m.Main))
	// Output:
	// Add <nil>
	// @main(%x: float32[n]) -> (%y) {
	//   %y = Add(%x, %x) : float32[n]
	// }
}
