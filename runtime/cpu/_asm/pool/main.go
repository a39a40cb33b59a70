// Command pool writes pool_amd64.s.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

func main() {
	kernels.Begin()
	TEXT("pause", NOSPLIT, "func(n int)")
	Doc("pause runs n PAUSE instructions.")
	n := Load(Param("n"), GP64())
	Label("loop")
	PAUSE()
	DECQ(n)
	JG(LabelRef("loop"))
	RET()
	Generate()
}
