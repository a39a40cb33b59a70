package nn

import "github.com/bbgen/bbgen/dsl"

// Dropout clears elements with the given probability while a network is trained, and
// makes the others larger by as much; otherwise it does nothing. A probability of 0
// is 0.
//
// Srivastava et al., Dropout, 2014, https://jmlr.org/papers/v15/srivastava14a.html
type Dropout struct{ P float64 }

// Forward returns x with what is left of it.
func (d *Dropout) Forward(g *dsl.Graph, x dsl.Value) dsl.Value {
	if !(d.P >= 0 && d.P < 1) {
		return g.Fail("Dropout: the probability is %v, want 0 or more and less than 1", d.P)
	}
	return g.Op("Dropout", nil, x, g.Scalar(x, d.P), g.Const(true))
}
