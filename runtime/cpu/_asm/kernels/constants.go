package kernels

import (
	"math"
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// Constants are float32s of which kernels load 16 copies each.
type Constants struct {
	symbol string
	list   []float64
}

// NewConstants returns constants behind a symbol of the assembly file.
func NewConstants(symbol string) *Constants { return &Constants{symbol: symbol} }

// At addresses the copies of x.
func (c *Constants) At(x float64) operand.Mem {
	i := slices.Index(c.list, x)
	if i < 0 {
		i = len(c.list)
		c.list = append(c.list, x)
	}
	return operand.NewDataAddr(operand.NewStaticSymbol(c.symbol), 64*i)
}

// Emit writes the constants that were addressed.
func (c *Constants) Emit() {
	build.GLOBL(c.symbol, build.RODATA|build.NOPTR)
	for i, x := range c.list {
		for j := range 16 {
			build.DATA(64*i+4*j, operand.U32(math.Float32bits(float32(x))))
		}
	}
}
