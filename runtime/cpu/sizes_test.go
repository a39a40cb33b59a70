package cpu

import (
	"math"
	"testing"
)

// TestSizes checks functions that compute sizes from data.
func TestSizes(t *testing.T) {
	shape := []int{2, 3, 4}
	for _, c := range []struct {
		name string
		size int
		want int
	}{
		{"Extent", Extent([]int{3, 0, -0, 5}, "Op"), 0},
		{"Extent of nothing", Extent(nil, "Op"), 1},
		{"Extent of the largest", Extent([]int{math.MaxInt32}, "Op"), math.MaxInt32},
		{"SplitSize", SplitSize([]int{2, 0, 3}, 2, 5), 3},
		{"SplitSize of an empty part", SplitSize([]int{2, 0, 3}, 1, 5), 0},
		{"Length", Length([]int32{7}), 7},
		{"OneHotDepth", OneHotDepth([]float32{3.9}), 3},
		{"OneHotDepth of int8", OneHotDepth([]int8{0}), 0},
		{"ReshapeDim keeps", ReshapeDim([]int64{0, -1}, shape, false, 0), 2},
		{"ReshapeDim infers", ReshapeDim([]int64{0, -1}, shape, false, 1), 12},
		{"ReshapeDim infers the first", ReshapeDim([]int32{-1, 6}, shape, true, 0), 4},
		{"ReshapeDim with an axis of 0", ReshapeDim([]int64{0, 5}, []int{0, 7}, true, 0), 0},
		{"ReshapeDim of an empty tensor", ReshapeDim([]int64{3, 0}, []int{0, 0}, false, 1), 0},
		{"ReshapeDim infers none", ReshapeDim([]int64{5, -1}, []int{0, 7}, true, 1), 0},
		{"Col2ImChannels", Col2ImChannels([]int{2, 3}, []int{4, 5}, 18, 20), 3},
		{"CompressCount", CompressCount([]bool{true, false, true, true}, 3), 2},
		{"CompressCount of fewer conditions", CompressCount([]bool{true}, 3), 1},
		{"NonZeroCount", NonZeroCount([]float64{0, math.Copysign(0, -1), nan, 2}), 2},
		{"NonZeroCount of strings", NonZeroCount([]string{"", "a"}), 1},
		{"DFTDim of another axis", DFTDim([]int{5, 8, 2}, 1, 0, 0, false, false), 5},
		{"DFTDim of one side", DFTDim([]int{5, 9, 1}, -2, 0, 1, true, false), 5},
		{"DFTDim of a given length", DFTDim([]int{5, 9, 1}, 1, 6, 1, true, false), 4},
		{"DFTDim of the inverse of one side", DFTDim([]int{5, 9, 2}, 1, 0, 1, true, true), 16},
		{"STFTFrames", STFTFrames([]int{1, 10, 1}, 3, 4), 3},
		{"STFTFrames of the whole", STFTFrames([]int{1, 10, 1}, 3, 10), 1},
		{"TopKSize", TopKSize([]int{0}, 0), 0},
		{"SliceStep of another axis", SliceStep([]int{0}, []int{3}, 2, 1), 1},
		{"SliceStart of another axis", SliceStart([]int{1}, []int{0}, []int{3}, 2, 1, 5), 0},
		{"SliceSize of another axis", SliceSize([]int{1}, []int{2}, []int{0}, []int{3}, 2, 1, 5), 5},
		{"PadBefore of another axis", PadBefore([]int{3, 4}, []int{-1}, 2, 0), 0},
		{"PadBefore", PadBefore([]int{3, 4}, []int{-1}, 2, 1), 3},
		{"PadSize of another axis", PadSize([]int{3, 4}, []int{-1}, 2, 0, 6), 6},
		{"PadSize", PadSize([]int{3, -4}, []int{-1}, 2, 1, 6), 5},
		{"ExpandSize", ExpandSize([]int{3, 2}, 1), 6},
		{"ExpandSize of all", ExpandSize([]int{1}, 6), 6},
		{"RangeSize of bytes", RangeSize([]uint8{250}, []uint8{255}, []uint8{2}), 3},
		{"RangeSize downwards", RangeSize([]int8{127}, []int8{-128}, []int8{-1}), 255},
		{"RangeSize away", RangeSize([]int16{3}, []int16{4}, []int16{-1}), 0},
		{"RangeSize of floats", RangeSize([]float32{1}, []float32{2}, []float32{0.3}), 4},
		{"RangeSize of floats away", RangeSize([]float64{1}, []float64{2}, []float64{-1}), 0},
		{"ResizeKeptSize", ResizeKeptSize([]int{9, 11}, []int{2, 3}, true, 0), 9},
		{"SqueezeSize", SqueezeSize([]int{1, 2, 3}, []int{0}, 1), 3},
		{"UnsqueezeSize", UnsqueezeSize([]int{4}, []int{1}, 1), 1},
		{"ReduceKept", ReduceKept([]int64{-1}, shape, false, 1), 3},
	} {
		if c.size != c.want {
			t.Errorf("%s: got %d, want %d", c.name, c.size, c.want)
		}
	}
}

// TestErrors checks what kernels say about data that they refuse.
func TestErrors(t *testing.T) {
	f := make([]float32, 8)
	for want, call := range map[string]func(){
		"CheckEqual: lengths are 2, want 3":                               func() { CheckEqual("lengths", 2, 3) },
		"CheckBroadcast: lengths are 2, want 3 or 1":                      func() { CheckBroadcast("lengths", 2, 3) },
		"Require: a branch is taken that cannot run: why":                 func() { Require([]bool{true}, false, "why") },
		"Op: an axis has size [3 -1]":                                     func() { Extent([]int{3, -1}, "Op") },
		"Op: an axis has size [65536 32768]":                              func() { Extent([]int{65536, 32768}, "Op") },
		"Split: split [2 -1 4] does not cut an axis of size 5":            func() { SplitSize([]int{2, -1, 4}, 0, 5) },
		"Split: split [2 4] does not cut an axis of size 5":               func() { SplitSize([]int{2, 4}, 0, 5) },
		"Split: split [2 2] does not cut an axis of size 5":               func() { SplitSize([]int{2, 2}, 0, 5) },
		"Length: length is 0, want at least 1":                            func() { Length([]int64{0}) },
		"OneHot: depth is -1":                                             func() { OneHotDepth([]int64{-1}) },
		"OneHot: depth is NaN":                                            func() { OneHotDepth([]float64{nan}) },
		"Reshape: shape is [-1 -1]":                                       func() { ReshapeDim([]int64{-1, -1}, []int{4}, false, 0) },
		"Reshape: shape is [-2]":                                          func() { ReshapeDim([]int64{-2}, []int{4}, false, 0) },
		"Reshape: shape [2 0] keeps axis 1 of an input of rank 1":         func() { ReshapeDim([]int64{2, 0}, []int{4}, false, 0) },
		"Reshape: cannot give shape [4] to the shape [3 -1]":              func() { ReshapeDim([]int64{3, -1}, []int{4}, false, 0) },
		"Reshape: cannot give shape [0] to the shape [0 -1]":              func() { ReshapeDim([]int64{0, -1}, []int{0}, true, 0) },
		"Reshape: cannot give shape [4] to the shape [5]":                 func() { ReshapeDim([]int64{5}, []int{4}, false, 0) },
		"Col2Im: blocks of shape [2 3], [4 5] of them, are not 19 by 20":  func() { Col2ImChannels([]int{2, 3}, []int{4, 5}, 19, 20) },
		"Col2Im: blocks of shape [0], [4] of them, are not 0 by 4":        func() { Col2ImChannels([]int{0}, []int{4}, 0, 4) },
		"DFT: axis is 2, want one of 3 but not the last":                  func() { DFTDim([]int{1, 2, 2}, 2, 0, 0, false, false) },
		"DFT: axis is -4, want one of 3 but not the last":                 func() { DFTDim([]int{1, 2, 2}, -4, 0, 0, false, false) },
		"DFT: signal has 0 elements, want at least 1":                     func() { DFTDim([]int{1, 1, 2}, 1, 0, 1, true, true) },
		"STFT: step is 0, want at least 1":                                func() { STFTFrames([]int{1, 5, 1}, 0, 2) },
		"STFT: frame has 6 elements, the signal 5":                        func() { STFTFrames([]int{1, 5, 1}, 1, 6) },
		"STFT: frame has 0 elements, want at least 1":                     func() { STFT(f, f, nil, nil, []int{1, 5, 1}, []int{1, 1, 1}, 1, 0) },
		"STFT: window has 1 elements, the frame 2":                        func() { STFT(f, f, f[:1], nil, []int{1, 5, 1}, []int{1, 1, 1}, 1, 2) },
		"Range: delta is 0":                                               func() { RangeSize([]int8{1}, []int8{2}, []int8{0}) },
		"Range: from 0 to +Inf by 1 are too many elements":                func() { RangeSize([]float64{0}, []float64{inf}, []float64{1}) },
		"Range: from 0 to 9223372036854775807 by 1 are too many elements": func() { RangeSize([]int64{0}, []int64{math.MaxInt64}, []int64{1}) },
		"TopK: k is -1 for an axis of size 3":                             func() { TopKSize([]int{-1}, 3) },
		"Squeeze: axes [0 -1] name an axis twice":                         func() { SqueezeSize([]int{1}, []int{0, -1}, 0) },
		"Squeeze: axis 1 has size 2, want 1":                              func() { SqueezeSize([]int{1, 2}, []int{-1}, 1) },
		"Unsqueeze: index 2 is out of range for an axis of size 2":        func() { UnsqueezeSize([]int{3}, []int{2}, 0) },
		"Expand: an axis of 4 elements does not broadcast to 6":           func() { ExpandSize([]int{6}, 4) },
		"Pad: cannot pad an axis of size 3 by -2 and -2":                  func() { PadSize([]int{-2, -2}, []int{0}, 1, 0, 3) },
		"Pad: index 2 is out of range for an axis of size 2":              func() { PadSize([]int{0, 0}, []int{2}, 2, 0, 3) },
		"Slice: axis is 2, want -2 to 1":                                  func() { SliceSize([]int{0}, []int{1}, []int{2}, []int{1}, 2, 0, 5) },
		"Resize: an axis would have size -2":                              func() { ResizeSize([]float32{-1}, 0, 2) },
		"Reduce: axes [0 -1] name an axis twice":                          func() { ReduceDim([]int64{0, -1}, []int{3}, false, 0) },
		"CopyRows: got 8 and 8 elements, want 2 rows of 4 and of 3":       func() { CopyRows(f, f, 2, 1, 4, 0, 3, 0) },
		"ReverseSequence: sequence 1 has length 4, want 0 to 3":           func() { ReverseSequence(f, f, []int64{3, 4}, 2, 3, 1, true) },
		"ReverseSequence: sequence 0 has length -1, want 0 to 3":          func() { ReverseSequence(f, f, []int64{-1, 0}, 2, 3, 1, false) },
		"ArgMax: there is no largest of no elements":                      func() { ArgMax(make([]int64, 1), f[:0], 1, 0, 1, false) },
		"ArgMin: there is no smallest of no elements":                     func() { ArgMin(make([]int64, 1), f[:0], 1, 0, 1, false) },
		"TensorScatter: cannot write 2 rows from row -1 of 4": func() {
			TensorScatter(f, f, []int64{-1}, TensorScatterShape{Batches: 1, Blocks: 1, Rows: 4, N: 2, Inner: 1}, false)
		},
		"ScatterElements: index -4 is out of range for an axis of size 3": func() { ScatterElements(f, f, []int32{-4}, []int{1}, []int{3}, 0) },
		"GatherElements: index 3 is out of range for an axis of size 3":   func() { GatherElements(f, f, []int64{3}, []int{1}, []int{3}, 0) },
		"GatherND: index 5 is out of range for an axis of size 3":         func() { GatherND(f, f, []int64{5}, 1, 1, 1, []int{3}) },
		"Cast: \"1e\" is not a number":                                    func() { CastFromString(f[:1], []string{" 1e "}) },
		"Bad: index 5 is out of range for an axis of size 0":              func() { wrap("Bad", 5, 0) },
	} {
		if got := complaint(call); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for _, ok := range []func(){
		func() { CheckEqual("", 3, 3) }, func() { CheckBroadcast("", 1, 3) }, func() { CheckBroadcast("", 3, 3) },
		func() { Require([]bool{true}, true, "") }, func() { CheckRoom(4, []int{2, 3}) },
	} {
		if got := complaint(ok); got != "" {
			t.Errorf("got %q, want none", got)
		}
	}
	if complaint(func() { CheckRoom(8, []int{math.MaxInt32, math.MaxInt32}) }) == "" {
		t.Error("a tensor of 2⁶⁵ bytes is no error")
	}
}

// TestInts checks sizes that are written to tensors, and indices of 64 bits in any int.
func TestInts(t *testing.T) {
	got := make([]int32, 2)
	Ints(got, []int{-3, math.MaxInt32})
	equal(t, "Ints", got, -3, math.MaxInt32)
	for _, v := range []int64{0, -1, math.MaxInt32, math.MinInt32} {
		if n := toInt(v); int64(n) != v {
			t.Errorf("%d became %d", v, n)
		}
	}
	if toInt(int64(math.MaxInt64)) != math.MaxInt || toInt(int64(math.MinInt64)) != math.MinInt {
		t.Error("the ends of int64 are not those of int")
	}
}
