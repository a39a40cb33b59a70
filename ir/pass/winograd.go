package pass

import "github.com/bbgen/bbgen/ir"

// Winograd marks the convolutions that are faster by Winograd's transforms, as
// the cost model says. Their results differ by some ten times the rounding errors
// of the plain form. [Choices.Pipeline] is for those who know better.
var Winograd = &Pass{Name: "winograd", Run: func(m *ir.Module) error { return new(Choices).winograd(m) }, After: []*Pass{Layout}}
