package task

import (
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/shard"
)

// digits is a client's share of rendered digits, at half the resolution.
type digits struct{ examples }

// newDigits returns a share with labels from a Dirichlet distribution.
func newDigits(env runtime.Env, c Config) (*digits, error) {
	return open(env, shard.Source{Peers: c.Clients, Alpha: c.Skew})
}

// newTests returns the digits for evaluation.
func newTests(env runtime.Env) (*digits, error) { return open(env, shard.Source{Val: true}) }

// open reads a whole share.
func open(env runtime.Env, s shard.Source) (*digits, error) {
	if err := s.Open(env); err != nil {
		return nil, err
	}
	x, y, err := s.NextBatch()
	if err != nil {
		return nil, err
	}
	d := &digits{examples{features: side * side, classes: 10, batch: 32}}
	for i, label := range y.Data {
		d.y = append(d.y, int(label))
		d.x = append(d.x, halved(x.Data[4*i*d.features:4*(i+1)*d.features])...)
	}
	return d, nil
}

// side is the number of pixels in a row.
const side = 14

// halved returns an image with the mean of each four pixels.
func halved(x []float32) (out []float32) {
	for i := range side {
		for j := range side {
			at := 2 * (2*side*i + j)
			out = append(out, (x[at]+x[at+1]+x[at+2*side]+x[at+2*side+1])/4)
		}
	}
	return out
}
