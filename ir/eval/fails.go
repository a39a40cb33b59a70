package eval

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// failure describes the element types for which a kernel may fail.
type failure uint8

const (
	onAll failure = iota + 1
	onWholeNumbers
)

// Fails reports whether a call can fail because of its data.
func Fails(c op.Call) bool {
	switch failing[c.Kernel] {
	case onAll:
		return true
	case onWholeNumbers:
		dst, ok := c.Args[0].(*ir.Value)
		return !ok || !dst.Type.Elem.IsFloat()
	}
	return false
}
