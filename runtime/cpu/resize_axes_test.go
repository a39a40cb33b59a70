package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// exactPosition is the position in an input of n elements for element y of out, by the specification of Resize. An axis of one
// element has none for ResizeCrop outside of the region from start to end.
func exactPosition(coord ResizeCoord, y, n, out int, scale, start, end float64) float64 {
	at, length, resized := float64(y), float64(n), scale*float64(n)
	switch coord {
	case ResizeAlignCorners:
		if out == 1 {
			return 0
		}
		return at * (length - 1) / (resized - 1)
	case ResizeAsymmetric:
		return at / scale
	case ResizeCrop:
		if out == 1 {
			return 0.5 * (start + end) * (length - 1)
		}
		return start*(length-1) + at*(end-start)*(length-1)/(resized-1)
	case ResizePytorchHalfPixel:
		if out == 1 {
			return 0
		}
	case ResizeHalfPixelSymmetric:
		adjustment := float64(out) / resized
		return length/2*(1-adjustment) + (at+0.5)/scale - 0.5
	}
	return (at+0.5)/scale - 0.5
}

// exactWeight is the weight of an element at a distance: of a triangle, or Keys' cubic with a = -0.6.
func exactWeight(filter ResizeFilter, x float64) float64 {
	const a = -0.6
	switch x = math.Abs(x); {
	case filter == ResizeLinear:
		return max(0, 1-x)
	case x <= 1:
		return (a+2)*x*x*x - (a+3)*x*x + 1
	case x < 2:
		return a*x*x*x - 5*a*x*x + 8*a*x - 4*a
	}
	return 0
}

// exactResize is the value between the elements of x at a position: the sum of all elements that the filter covers, each as far
// from the position as scale demands. Elements outside are those at the border, or have no weight.
func exactResize(x []float64, at, scale float64, line ResizeLine) float64 {
	if !line.Antialias {
		scale = 1
	}
	scale = min(scale, 1)
	sum, weights := 0.0, 0.0
	for i := -100; i < 200; i++ {
		if line.Exclude && (i < 0 || i >= len(x)) {
			continue
		}
		w := exactWeight(line.Filter, (float64(i)-at)*scale)
		sum += w * x[min(max(i, 0), len(x)-1)]
		weights += w
	}
	return sum / weights
}

// TestResizeDefinition compares each filter and transformation of coordinates with the specification, for scales that are given,
// and for sizes, of which 1/49·49 is not 1.
func TestResizeDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	roi := []float32{0.25, 0.75}
	for coord := ResizeHalfPixel; coord <= ResizeCrop; coord++ {
		for _, filter := range []ResizeFilter{ResizeLinear, ResizeCubic} {
			for mask := range 4 {
				for _, c := range []struct {
					in, out int
					scale   float64 // 0: of the sizes
				}{{49, 1, 0}, {4, 1, 0.4}, {5, 7, 0}, {4, 13, 3.4}, {9, 4, 0}, {1, 3, 0}, {3, 3, 0}, {8, 3, 0.45}} {
					line := ResizeLine{In: c.in, Out: c.out, Coord: coord, Filter: filter, CubicA: -0.6, Antialias: mask&1 != 0, Exclude: mask&2 != 0, Value: -7}
					x, scale := uniform[float64](rng, c.in), []float64{c.scale}
					if c.scale == 0 {
						ResizeRatios(scale, []int{c.out}, []int{c.in})
					}
					got, first := make([]float64, c.out), make([]int64, c.out)
					weights := make([]float64, c.out*line.taps(line.width(scale)))
					ResizeWeights(weights, first, scale, roi, line)
					ResizeAxis(got, x, weights, first, scale, line, 1, 1)
					for y, v := range got {
						at := exactPosition(coord, y, c.in, c.out, scale[0], 0.25, 0.75)
						want := exactResize(x, at, scale[0], line)
						if coord == ResizeCrop && (at < 0 || at > float64(c.in-1)) {
							want = -7
						}
						if !(math.Abs(v-want) <= 1e-12) {
							t.Errorf("coordinates %d, filter %d, %d to %d, antialias and exclude %02b: element %d is %v, want %v", coord, filter, c.in, c.out, mask, y, v, want)
						}
					}
				}
			}
		}
	}
}

// An axis that keeps its size is unchanged, whatever the filter, and weights of an element add up to 1.
func TestResizeIdentity(t *testing.T) {
	for filter := ResizeRoundPreferFloor; filter <= ResizeCubic; filter++ {
		for coord := ResizeHalfPixel; coord < ResizeCrop; coord++ {
			for _, n := range []int{1, 2, 7, 17} {
				x := gaussians[float64](n)
				for _, antialias := range []bool{false, true} {
					got := resized(x, n, ResizeLine{Coord: coord, Filter: filter, CubicA: -0.75, Antialias: antialias})
					nearly(t, fmt.Sprint(filter, coord, n, antialias), got, x, 1e-14)
					ones := resized(slicesOf(n, 1.0), 2*n+1, ResizeLine{Coord: coord, Filter: filter, CubicA: -0.75, Antialias: antialias})
					nearly(t, "ones", ones, slicesOf(2*n+1, 1.0), 1e-14)
				}
			}
		}
	}
}

// nearestOf rounds a position to an element by the specification of nearest_mode.
func nearestOf(filter ResizeFilter, x, scale float64) float64 {
	floor, ceil := math.Floor(x), math.Ceil(x)
	switch half := x-floor == 0.5; {
	case filter == ResizeFloor, filter == ResizeSimple && scale >= 1, filter == ResizeRoundPreferFloor && half:
		return floor
	case filter == ResizeCeil, filter == ResizeSimple, filter == ResizeRoundPreferCeil && half:
		return ceil
	}
	return math.Round(x)
}

// TestResizeNearestAxes compares tensors of up to three axes, with parts that are cropped, with the element at each position, and
// the gradient with the number of times that each element is copied.
func TestResizeNearestAxes(t *testing.T) {
	roi := []float32{0, -0.25, 0.1, 1, 1.5, 0.8}
	for filter := ResizeRoundPreferFloor; filter <= ResizeSimple; filter++ {
		for _, coord := range []ResizeCoord{ResizeHalfPixel, ResizeAsymmetric, ResizeCrop} {
			for _, c := range [][2][]int{{{3, 4, 2}, {3, 7, 5}}, {{3, 4, 5}, {1, 2, 9}}, {{1, 1, 6}, {4, 1, 3}}} {
				shape, size := c[0], c[1]
				scale := make([]float64, 3)
				ResizeRatios(scale, size, shape)
				index := make([]int64, size[0]+size[1]+size[2])
				ResizeSame(index, 0, 2)
				begin := 0
				for k := range shape {
					ResizeIndex(index, begin, scale, roi, ResizeLine{In: shape[k], Out: size[k], Axis: k, Coord: coord, Filter: filter})
					begin += size[k]
				}
				x := counted(sizeOf(shape))
				got, want := make([]int32, sizeOf(size)), slicesOf(sizeOf(size), int32(-9))
				copies := make([]float64, len(x))
				for i := range want {
					at, rest, inside := 0, i, true
					for k, step := 2, 1; k >= 0; k, step = k-1, step*shape[k] {
						p := exactPosition(coord, rest%size[k], shape[k], size[k], scale[k], float64(roi[k]), float64(roi[k+3]))
						rest /= size[k]
						inside = inside && (coord != ResizeCrop || p >= 0 && p <= float64(shape[k]-1))
						at += step * int(min(max(nearestOf(filter, p, scale[k]), 0), float64(shape[k]-1)))
					}
					if inside {
						want[i] = x[at]
						copies[at]++
					}
				}
				what := fmt.Sprint(filter, coord, shape, size)
				ResizeNearest(got, x, []int32{-9}, index, shape, size)
				equal(t, what, got, want...)
				d := make([]float64, len(x))
				ResizeNearestGrad(d, slicesOf(len(got), 1.0), index, shape, size)
				equal(t, "gradient "+what, d, copies...)
			}
		}
	}
	one := []float64{0}
	ResizeNearest(one, []float64{5}, nil, nil, nil, nil)
	equal(t, "a scalar", one, 5)
	ResizeNearestGrad(one, []float64{6}, nil, nil, nil)
	equal(t, "gradient of a scalar", one, 6)
	ResizeNearest([]float64{}, nil, nil, nil, []int{2}, []int{0})
}

// TestResizeScales checks scales that are given, those of sizes, and one for all axes.
func TestResizeScales(t *testing.T) {
	scale := make([]float64, 2)
	ResizeScales(scale, []float32{0.5, 3})
	equal(t, "given", scale, 0.5, 3)
	ResizeKeep(scale, []int{8, 9}, []int{4, 3}, false)
	equal(t, "not larger", scale, 2, 2)
	ResizeKeep(scale, []int{8, 9}, []int{4, 3}, true)
	equal(t, "not smaller", scale, 3, 3)
	for want, f := range map[string]func(){
		"Resize: cannot scale an axis of size 0 to 2 by 1": func() {
			ResizeWeights(make([]float64, 4), make([]int64, 2), []float64{1}, nil, ResizeLine{Out: 2, Filter: ResizeLinear})
		},
		"Resize: an element of an axis of size 1 shows nothing": func() {
			ResizeWeights(make([]float64, 4), make([]int64, 1), []float64{nan}, nil, ResizeLine{In: 2, Out: 1, Filter: ResizeLinear})
		},
	} {
		if got := complaint(f); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
