package pass_test

import (
	"fmt"
	"log"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// A compilation runs all of [pass.Pipeline]. Here two passes join equal nodes, and drop one that nobody reads.
func ExampleRun() {
	m, err := ir.Parse("twice.ir", `module "twice"
opset 21
func @main(%x: float32[n]) -> (%y) {
  %a = Exp(%x) : ?
  %b = Exp(%x) : ?
  %unread = Neg(%b) : ?
  %y = Add(%a, %b) : ?
}`)
	if err != nil {
		log.Fatal(err)
	}
	if err := pass.Run(m, []*pass.Pass{pass.Infer, pass.CSE, pass.DCE}, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Print(ir.PrintFunc(m.Main))
	// Output:
	// @main(%x: float32[n]) -> (%y) {
	//   %a = Exp(%x) : float32[n]
	//   %y = Add(%a, %a) : float32[n]
	// }
}
