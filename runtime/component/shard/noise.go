package shard

import "math/rand/v2"

// noise is the noise in the features of a peer.
type noise struct {
	seed      uint64
	deviation float64 // 0: none
}

// add adds to each example its fixed noise.
func (z noise) add(indices []int, x []float32) {
	if z.deviation == 0 || len(indices) == 0 {
		return
	}
	size := len(x) / len(indices)
	for k, i := range indices {
		r := rand.New(rand.NewPCG(z.seed, uint64(i)))
		for j := range size {
			x[k*size+j] += float32(z.deviation * r.NormFloat64())
		}
	}
}
