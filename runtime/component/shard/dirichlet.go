package shard

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// byLabel divides each class of labels among the peers, in proportions from a Dirichlet
// distribution.
func (d *division) byLabel() ([][]int, error) {
	labels, err := d.labels()
	if err != nil {
		return nil, err
	}
	var classes []int64
	members := map[int64][]int{}
	for i, l := range labels {
		if members[l] == nil {
			classes = append(classes, l)
		}
		members[l] = append(members[l], d.order[i])
	}
	shares := make([][]int, d.peers)
	for _, c := range classes { // in the order of their first examples
		for rank, part := range d.proportions(d.Alpha) {
			shares[rank] = append(shares[rank], part.of(members[c])...)
		}
	}
	return shares, nil
}

// labels returns the labels of the examples, in random order.
func (d *division) labels() ([]int64, error) {
	if len(d.set.Labels().Shape) > 0 {
		return nil, fmt.Errorf("a label is %v, want one number", d.set.Labels())
	}
	return labelsOf(d.set, d.order)
}

// labelsOf returns the labels of examples.
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

// part is the beginning and end of a proportion, from 0 to 1.
type part struct{ from, to float64 }

// of returns the elements of a list in the part.
func (p part) of(list []int) []int {
	n := float64(len(list))
	return list[int(p.from*n):int(p.to*n)]
}

// proportions draws a part for each peer from a Dirichlet distribution.
func (d *division) proportions(alpha float64) []part {
	sums := make([]float64, d.peers+1)
	for i := range d.peers {
		sums[i+1] = sums[i] + gamma(d.rand, alpha)
	}
	parts, total := make([]part, d.peers), sums[d.peers]
	for i := range parts {
		parts[i] = part{sums[i] / total, sums[i+1] / total}
		if !(total > 0) || math.IsInf(total, 1) { // all that was drawn is too small for a float64, or too large: then the shares are equal
			parts[i] = part{float64(i) / float64(d.peers), float64(i+1) / float64(d.peers)}
		}
	}
	return parts
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
