// Command yield writes pool_linux_amd64.s.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("!purego")
	TEXT("yield", NOSPLIT, "func()")
	Doc("yield calls sched_yield.")
	MOVL(U32(24), EAX)
	SYSCALL()
	RET()
	Generate()
}
