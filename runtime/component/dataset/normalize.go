package dataset

import (
	"errors"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Normalize sets all features of the set to (x - mean) / std, like the function [Normalize].
func (s *Set) Normalize(mean, std []float32) error {
	if s.Mean != nil {
		return errors.New("the data are normalized already")
	}
	for _, part := range []*DataSource{&s.Train, &s.Val} {
		if *part == nil {
			continue
		}
		n, err := Normalize(*part, mean, std)
		if err != nil {
			return err
		}
		*part = n
	}
	s.Mean, s.Std = mean, std
	return nil
}

// Standardize normalizes the set by the mean and the deviation of the training examples: of each column, of
// each channel of an image, or of all features. Constant features are only shifted.
func (s *Set) Standardize() error {
	mean, std, err := moments(s.Train)
	if err != nil {
		return err
	}
	return s.Normalize(mean, std)
}

// moments returns the means and deviations of a source's features.
func moments(s DataSource) (mean, std []float32, err error) {
	f := s.Features()
	if f.DType != tensor.Float32 {
		return nil, nil, fmt.Errorf("only floats can be standardized, the data are %v", f)
	}
	parts := 1
	if len(f.Shape) == 1 || len(f.Shape) == 3 {
		parts = f.Shape[0]
	}
	sums := make([]float64, parts)
	if err := eachPart(s, parts, func(part int, v float64) { sums[part] += v }); err != nil {
		return nil, nil, err
	}
	count := float64(s.Len() * f.Len() / max(parts, 1))
	squares := make([]float64, parts)
	err = eachPart(s, parts, func(part int, v float64) {
		d := v - sums[part]/count
		squares[part] += d * d
	})
	for i := range parts {
		deviation := float32(math.Sqrt(squares[i] / count))
		if !(deviation > 0) {
			deviation = 1
		}
		mean, std = append(mean, float32(sums[i]/count)), append(std, deviation)
	}
	return mean, std, err
}

// eachPart calls f with all features of a source, and the index of the equal part of its example in which each
// is.
func eachPart(s DataSource, parts int, f func(part int, v float64)) error {
	const batch = 256
	size := s.Features().Len()
	for first := 0; first < s.Len(); first += batch {
		indices := make([]int, min(batch, s.Len()-first))
		for i := range indices {
			indices[i] = first + i
		}
		x, y := s.Features().Tensor(len(indices)), s.Labels().Tensor(len(indices))
		if err := s.Batch(indices, x, y); err != nil {
			return err
		}
		for i, v := range tensor.Data[float32](x) {
			f(i%size*parts/size, float64(v))
		}
	}
	return nil
}
