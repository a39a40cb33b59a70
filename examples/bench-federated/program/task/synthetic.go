package task

import (
	"math"
	"math/rand/v2"
)

// most is the maximum number of examples of a client beyond 50. The paper has none.
const most = 1000

// synthetic is a client of Synthetic(α, β), with α = β: T. Li and others, 2020. α is the variation of the
// clients' models, β that of their features.
type synthetic struct{ examples }

func newSynthetic(seed uint64, skew float64, rank int) *synthetic {
	r := rand.New(rand.NewPCG(seed, uint64(1000+rank)))
	s := &synthetic{examples{features: 60, classes: 10, batch: batch}}
	deviation := math.Sqrt(skew)
	u, b := deviation*r.NormFloat64(), deviation*r.NormFloat64()
	model, center := make([]float32, s.Size()), make([]float64, s.features)
	for i := range model {
		model[i] = float32(u + r.NormFloat64())
	}
	for j := range center {
		center[j] = b + r.NormFloat64()
	}
	n := 50 + int(min(math.Exp(4+2*r.NormFloat64()), most)) // a few clients have most examples
	p := make([]float64, s.classes)
	for range n {
		at := len(s.x)
		for j := range s.features {
			s.x = append(s.x, float32(center[j]+r.NormFloat64()*math.Pow(float64(j+1), -0.6)))
		}
		s.predict(p, model, s.x[at:])
		s.y = append(s.y, largest(p))
	}
	return s
}
