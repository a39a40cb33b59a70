package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// exactGridSample is the value at a point, whose coordinates are from -1 to 1 in the order of the axes, by the specification: the
// position is rounded or its neighbors are weighted, and what is outside is zero, moved to the border, or mirrored.
func exactGridSample(img []float64, point []float64, o GridShape) float64 {
	at := make([]float64, len(point))
	for a, c := range point {
		n := float64(o.In[a])
		if o.Align {
			at[a] = (c + 1) / 2 * (n - 1)
		} else {
			at[a] = ((c+1)*n - 1) / 2
		}
		if o.Mode == SampleNearest {
			at[a] = math.RoundToEven(at[a])
		}
		if o.Mode == SampleCubic { // its neighbors are moved separately
			continue
		}
		if at[a] < -0.5 || at[a] > n-0.5 || o.Align && (at[a] < 0 || at[a] > n-1) {
			at[a] = insideOf(at[a], n, o)
		}
	}
	return weightedNeighbors(img, at, o)
}

// insideOf moves a position by reflections, or to the border, if the border is not zero.
func insideOf(x, n float64, o GridShape) float64 {
	lo, hi := -0.5, n-0.5
	if o.Align {
		lo, hi = 0, n-1
	}
	switch {
	case o.Border == BorderNearest:
		return math.Max(0, math.Min(n-1, x))
	case o.Border == BorderReflect && hi > lo:
		for x < lo || x > hi {
			if x < lo {
				x = 2*lo - x
			} else {
				x = 2*hi - x
			}
		}
	case o.Border == BorderReflect:
		return lo
	}
	return x
}

func weightedNeighbors(img []float64, at []float64, o GridShape) float64 {
	if len(at) == 0 {
		return img[0]
	}
	n, size := o.In[len(o.In)-len(at)], 1
	for _, d := range o.In[len(o.In)-len(at)+1:] {
		size *= d
	}
	sum, base := 0.0, math.Floor(at[0])
	for i := -1; i <= 2; i++ {
		w := sampleWeight(o.Mode, at[0]-(base+float64(i)))
		k := int(base) + i
		if w == 0 {
			continue
		}
		if k < 0 || k >= n {
			if o.Border == BorderZeros {
				continue
			}
			k = min(max(int(insideOf(float64(k), float64(n), o)), 0), n-1)
		}
		sum += w * weightedNeighbors(img[k*size:][:size], at[1:], o)
	}
	return sum
}

// sampleWeight is the weight of an element at a distance: for cubic that of Keys with a = -3/4.
func sampleWeight(mode SampleMode, d float64) float64 {
	d = math.Abs(d)
	switch {
	case mode == SampleNearest && d > 0:
		return 0
	case mode == SampleNearest:
		return 1
	case mode == SampleLinear:
		return math.Max(0, 1-d)
	case d <= 1:
		return (1.25*d-2.25)*d*d + 1
	case d < 2:
		return -0.75 * (((d-5)*d+8)*d - 4)
	}
	return 0
}

// TestGridSampleRandom compares samples inside, at the border and far outside of images with one to three axes, of one element and
// more, in each mode.
func TestGridSampleRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		for mode := SampleLinear; mode <= SampleCubic; mode++ {
			for border := BorderZeros; border <= BorderReflect; border++ {
				for _, align := range []bool{false, true} {
					o := GridShape{Batches: 2, Channels: 2, Points: 5, Mode: mode, Border: border, Align: align}
					for range 1 + rng.IntN(3) {
						o.In = append(o.In, 1+rng.IntN(4))
					}
					testGridSample(t, rng, o)
				}
			}
		}
	}
}

func testGridSample(t *testing.T, rng *rand.Rand, o GridShape) {
	r, plane := len(o.In), sizeOf(o.In)
	x, grid := uniform[float64](rng, o.Batches*o.Channels*plane), uniform[float64](rng, o.Batches*o.Points*r)
	for i := range grid {
		grid[i] *= []float64{1, 1.5, 4}[rng.IntN(3)]
		if rng.IntN(4) == 0 {
			grid[i] = float64(rng.IntN(9)-4) / 2 // at elements and at edges
		}
	}
	got, want := make([]float64, o.Batches*o.Channels*o.Points), []float64{}
	for i := range got {
		n, c, p := i/o.Points/o.Channels, i/o.Points%o.Channels, i%o.Points
		point := make([]float64, r)
		for a := range point {
			point[a] = grid[(n*o.Points+p)*r+r-1-a]
		}
		want = append(want, exactGridSample(x[(n*o.Channels+c)*plane:][:plane], point, o))
	}
	GridSample(got, x, grid, o)
	agree(t, fmt.Sprintf("%+v at %v", o, grid), got, want, 1e-12)
}

// TestAffineGridRandom compares a grid with the product of each map and each point, in two and three dimensions.
func TestAffineGridRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		size := []int{2 + rng.IntN(3), 2 + rng.IntN(3), 2 + rng.IntN(3)}[rng.IntN(2):]
		r, align := len(size), rng.IntN(2) == 0
		theta := uniform[float64](rng, 2*r*(r+1))
		got, want := make([]float64, 2*sizeOf(size)*r), []float64{}
		for b := range 2 {
			eachIndex(size, func(_ int, index []int) {
				for i := range r {
					m := theta[(b*r+i)*(r+1):][:r+1]
					sum := m[r]
					for a, k := range index {
						n := float64(size[a])
						c := (2*float64(k) + 1 - n) / n // the middle of a part of [-1, 1]
						if align {
							c = (2*float64(k) + 1 - n) / (n - 1)
						}
						sum += m[r-1-a] * c
					}
					want = append(want, sum)
				}
			})
		}
		AffineGrid(got, theta, 2, size, align)
		agree(t, fmt.Sprint(size, align), got, want, 1e-12)
	}
}
