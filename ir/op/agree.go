package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// Agreement is a pair of sizes that must be equal. Inference rejects constants that differ; symbols are
// checked at run time.
type Agreement struct {
	What       string // such as: the columns of "x"
	Got, Want  ir.Dim
	Broadcasts bool // Got may also be 1
}

// known reports whether inference has established that the sizes are equal.
func (a Agreement) known() bool {
	_, got := a.Got.Const()
	_, want := a.Want.Const()
	return got && want || a.Got.Equal(a.Want) || a.Broadcasts && a.Got.Is(1)
}

func elementsOf(v *ir.Value) string { return fmt.Sprintf("the elements of %q", v.Name) }

// AgreeAxis requires that axis k of v has want elements.
func AgreeAxis(v *ir.Value, k int, want ir.Dim) Agreement {
	return Agreement{What: fmt.Sprintf("the elements of %q along axis %d", v.Name, k), Got: Shape(v)[k], Want: want}
}

// MayEqual reports whether d may equal want at run time.
func MayEqual(d, want ir.Dim) bool {
	a, aok := d.Const()
	b, bok := want.Const()
	return !aok || !bok || a == b
}
