package shard

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// dirichlet is the share of a peer when each class of labels is divided among
// peers in proportions from a Dirichlet distribution. All peers that have the
// same seed find the same division: each example belongs to one of them.
func dirichlet(set dataset.DataSource, seed uint64, alpha float64, peers, rank int) ([]int, error) {
	if len(set.Labels().Shape) > 0 {
		return nil, fmt.Errorf("a label is %v, want one number: only classes can be divided by an Alpha", set.Labels())
	}
	order := dataset.Order(seed, 0, set.Len())
	labels, err := labelsOf(set, order)
	if err != nil {
		return nil, err
	}
	var classes []int64
	members := map[int64][]int{}
	for i, l := range labels {
		if members[l] == nil {
			classes = append(classes, l)
		}
		members[l] = append(members[l], order[i])
	}
	var share []int
	r := rand.New(rand.NewPCG(seed, math.Float64bits(alpha)))
	for _, c := range classes { // in the order of their first examples
		from, to := cumulate(r, alpha, peers, rank)
		n := float64(len(members[c]))
		share = append(share, members[c][int(from*n):int(to*n)]...)
	}
	return share, nil
}

// labelsOf are the labels of examples.
func labelsOf(set dataset.DataSource, indices []int) ([]int64, error) {
	const chunk = 256
	out := make([]int64, 0, len(indices))
	for len(indices) > 0 {
		n := min(chunk, len(indices))
		x, y := set.Features().Tensor(n), set.Labels().Tensor(n)
		if err := set.Batch(indices[:n], x, y); err != nil {
			return nil, err
		}
		if y.DType != tensor.Int64 {
			return nil, fmt.Errorf("labels are %v, want int64", y.DType)
		}
		out = append(out, tensor.Data[int64](y)...)
		indices = indices[n:]
	}
	return out, nil
}

// cumulate draws proportions of peers, and returns where that of a rank begins
// and ends.
func cumulate(r *rand.Rand, alpha float64, peers, rank int) (from, to float64) {
	sums := make([]float64, peers+1)
	for i := range peers {
		sums[i+1] = sums[i] + gamma(r, alpha)
	}
	total := sums[peers]
	if !(total > 0) { // all proportions are too small for a float64
		return float64(rank) / float64(peers), float64(rank+1) / float64(peers)
	}
	return sums[rank] / total, sums[rank+1] / total
}

// gamma draws from the gamma distribution: G. Marsaglia and W. W. Tsang, "A Simple
// Method for Generating Gamma Variables", 2000.
func gamma(r *rand.Rand, alpha float64) float64 {
	if alpha < 1 {
		return gamma(r, alpha+1) * math.Pow(r.Float64(), 1/alpha)
	}
	d := alpha - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := r.NormFloat64()
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-r.Float64()) < float64(x*x/2)+d-float64(d*v)+float64(d*math.Log(v)) {
			return d * v
		}
	}
}
