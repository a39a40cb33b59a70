package view

import (
	"fmt"
	"hash/maphash"
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Const summarizes the content of a constant.
type Const struct {
	Elements int    `json:"elements"`
	Text     string `json:"text,omitempty"` // the whole content, if it is short
	Stats    *Stats `json:"stats,omitempty"`
}

// Stats are statistics of numeric elements.
type Stats struct {
	Min       float64 `json:"min"`
	Max       float64 `json:"max"`
	Mean      float64 `json:"mean"`
	Zeros     int     `json:"zeros"`
	NotFinite int     `json:"not_finite,omitempty"` // infinities and NaNs, which are in no other statistic
	Histogram []int   `json:"histogram,omitempty"`  // of floats: the number of elements in each of the equal parts from Min to Max
}

const (
	bins     = 32 // of a histogram
	maxShown = 16 // elements of a constant that is shown in full
)

// summaries caches the summaries of a graph's tensors.
type summaries struct {
	seed maphash.Seed
	by   map[*tensor.Tensor]summary
}

type summary struct {
	*Const
	content uint64 // hash of type, shape and elements
}

func newSummaries() *summaries {
	return &summaries{seed: maphash.MakeSeed(), by: map[*tensor.Tensor]summary{}}
}

// of returns the summary of a tensor and a hash of its content, or nil and 0 without a tensor.
func (s *summaries) of(t *tensor.Tensor) (*Const, uint64) {
	if t == nil {
		return nil, 0
	}
	x, ok := s.by[t]
	if !ok {
		x = summary{summarize(t), s.hash(t)}
		s.by[t] = x
	}
	return x.Const, x.content
}

func (s *summaries) hash(t *tensor.Tensor) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	fmt.Fprintln(&h, t)
	h.Write(t.Bytes())
	if t.DType == tensor.String {
		for _, text := range tensor.Data[string](t) {
			fmt.Fprintf(&h, "%q", text)
		}
	}
	return h.Sum64() | 1 // 0 means no constant
}

func summarize(t *tensor.Tensor) *Const {
	c := &Const{Elements: t.Len()}
	if c.Elements <= maxShown {
		c.Text = clip(ir.PrintAttr(t))
	}
	c.Stats = statsOf(t)
	return c
}

// statsOf returns the statistics of a tensor of numbers, or nil for other types.
func statsOf(t *tensor.Tensor) *Stats {
	switch d := t.Data.(type) {
	case []float32:
		return stats(len(d), true, func(i int) float64 { return float64(d[i]) })
	case []float64:
		return stats(len(d), true, func(i int) float64 { return d[i] })
	case []tensor.F16:
		return small(d)
	case []tensor.BF16:
		return small(d)
	case []tensor.F8E4M3FN:
		return small(d)
	case []tensor.F8E4M3FNUZ:
		return small(d)
	case []tensor.F8E5M2:
		return small(d)
	case []tensor.F8E5M2FNUZ:
		return small(d)
	case []tensor.F8E8M0:
		return small(d)
	case []tensor.F4E2M1:
		return small(d)
	case []int8:
		return integers(d)
	case []int16:
		return integers(d)
	case []int32:
		return integers(d)
	case []int64:
		return integers(d)
	case []uint8:
		return integers(d)
	case []uint16:
		return integers(d)
	case []uint32:
		return integers(d)
	case []uint64:
		return integers(d)
	case []tensor.I2:
		return integers(d)
	case []tensor.I4:
		return integers(d)
	case []tensor.U2:
		return integers(d)
	case []tensor.U4:
		return integers(d)
	}
	return nil
}

func small[T interface{ Float32() float32 }](d []T) *Stats {
	return stats(len(d), true, func(i int) float64 { return float64(d[i].Float32()) })
}

func integers[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](d []T) *Stats {
	return stats(len(d), false, func(i int) float64 { return float64(d[i]) })
}

// stats returns the statistics of n numbers, or nil if none is finite.
func stats(n int, histogram bool, at func(i int) float64) *Stats {
	s := &Stats{Min: math.Inf(1), Max: math.Inf(-1)}
	for i := range n {
		s.add(at(i))
	}
	finite := n - s.NotFinite
	if finite == 0 {
		return nil
	}
	s.Mean = max(s.Min, min(s.Mean/float64(finite), s.Max)) // NB: the bound, if the sum overflows
	if histogram && s.Max > s.Min {
		s.count(n, at)
	}
	return s
}

// add adds a number. Mean is the sum until all numbers are added.
func (s *Stats) add(x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		s.NotFinite++
		return
	}
	s.Min, s.Max = min(s.Min, x), max(s.Max, x)
	s.Mean += x
	if x == 0 {
		s.Zeros++
	}
}

// count computes the histogram.
func (s *Stats) count(n int, at func(i int) float64) {
	s.Histogram = make([]int, bins)
	width := s.Max/bins - s.Min/bins // the difference itself may be infinite
	for i := range n {
		x := at(i)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		k := x/width - s.Min/width
		s.Histogram[min(max(int(k), 0), bins-1)]++
	}
}
