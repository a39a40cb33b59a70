package nn

import "github.com/bbgen/bbgen/dsl"

// Dropout sets elements to zero with probability P while a network is trained, and scales the others up to
// keep the mean. In inference it does nothing.
//
// Srivastava et al., Dropout, 2014, https://jmlr.org/papers/v15/srivastava14a.html
type Dropout struct{ P float64 }

// Forward returns x with dropout.
func (d *Dropout) Forward(g *dsl.Graph, x dsl.Value) dsl.Value {
	if !(d.P >= 0 && d.P < 1) {
		return g.Fail("Dropout: the probability is %v, want 0 or more and less than 1", d.P)
	}
	return g.Op("Dropout", nil, x, g.Scalar(x, d.P), g.Const(true))
}
