package dataset

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// npyBytes writes an .npy file as numpy's documentation has it: magic, version, length of the header, a Python literal that ends
// with a line end at a multiple of 64 bytes, and the elements.
func npyBytes(version byte, descr string, fortran bool, shape []int, data []byte) []byte {
	var sizes []string
	for _, n := range shape {
		sizes = append(sizes, fmt.Sprintf("%d,", n))
	}
	order := map[bool]string{true: "True", false: "False"}[fortran]
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr, order, strings.Join(sizes, " "))
	head := 10
	if version > 1 {
		head = 12
	}
	header += strings.Repeat(" ", (64-(head+len(header)+1)%64)%64) + "\n"
	b := append([]byte("\x93NUMPY"), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(append(b, header...), data...)
}

// TestArraysOfNumpy reads arrays in each type that numpy writes and a model reads, in all versions, rows or columns first.
func TestArraysOfNumpy(t *testing.T) {
	y := npyBytes(1, "|u1", false, []int{2}, []byte{3, 4})
	for _, c := range []struct {
		descr  string
		append func(b []byte, v int) []byte
		div    float32
	}{
		{"|b1", func(b []byte, v int) []byte { return append(b, byte(v%2)) }, 0},
		{"|u1", func(b []byte, v int) []byte { return append(b, byte(v)) }, 255},
		{"|i1", func(b []byte, v int) []byte { return append(b, byte(v)) }, 1},
		{"<i2", func(b []byte, v int) []byte { return binary.LittleEndian.AppendUint16(b, uint16(v)) }, 1},
		{"<u2", func(b []byte, v int) []byte { return binary.LittleEndian.AppendUint16(b, uint16(v)) }, 1},
		{"<i4", func(b []byte, v int) []byte { return binary.LittleEndian.AppendUint32(b, uint32(v)) }, 1},
		{"<i8", func(b []byte, v int) []byte { return binary.LittleEndian.AppendUint64(b, uint64(v)) }, 1},
		{"<f4", func(b []byte, v int) []byte { return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v))) }, 1},
		{"<f8", func(b []byte, v int) []byte { return binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(v))) }, 1},
	} {
		var rows, columns []byte
		var want []float32
		for i := range 6 { // element (r, c) of two rows and three columns is 10·r + c
			rows = c.append(rows, 10*(i/3)+i%3)
			columns = c.append(columns, 10*(i%2)+i/2)
			if v := 10*(i/3) + i%3; c.div == 0 {
				want = append(want, float32(v%2))
			} else {
				want = append(want, float32(v)/c.div)
			}
		}
		for version := byte(1); version <= 3; version++ {
			for fortran, data := range map[bool][]byte{false: rows, true: columns} {
				x := npyBytes(version, c.descr, fortran, []int{2, 3}, data)
				for _, fsys := range []map[string][]byte{{"x.npy": x, "y.npy": y}, {"a.npz": deflated(t, "x.npy", x, "y.npy", y)}} {
					var pairs []any
					for name, b := range fsys {
						pairs = append(pairs, name, b)
					}
					set, err := Open(files(pairs...), ".", Options{X: tensor.Float32, Y: tensor.Int64})
					if err != nil {
						t.Fatalf("%s, version %d, columns first %v: %v", c.descr, version, fortran, err)
					}
					gotX, gotY := everything(t, set.Train)
					if !slices.Equal(tensor.Data[float32](gotX), want) || fmt.Sprint(gotY.Data) != "[3 4]" {
						t.Errorf("%s, version %d, columns first %v: %v %v, want %v", c.descr, version, fortran, gotX.Data, gotY.Data, want)
					}
				}
			}
		}
	}
}

// TestNamesOfArrays: each pair of usual names is found, with its part for validation, in a folder and in an archive.
func TestNamesOfArrays(t *testing.T) {
	array := func(v float32) *tensor.Tensor { return tensor.Of([]float32{v}, 1, 1) }
	for i, n := range arrayNames {
		arrays := map[string]*tensor.Tensor{n.x: array(1), n.y: array(2), n.valX: array(3), n.valY: array(4)}
		for _, lacks := range []string{"", n.valX, n.valY, n.x, n.y} {
			some, pairs := map[string]*tensor.Tensor{}, []any{}
			for name, a := range arrays {
				if name != lacks {
					some[name], pairs = a, append(pairs, name+".npy", npy(t, a))
				}
			}
			want := "1 of float32[1]→float32[1]: [1] [2]"
			wantVal := "1 of float32[1]→float32[1]: [3] [4]"
			if lacks != "" {
				wantVal = "none"
			}
			for form, fsys := range map[string]fstest.MapFS{"an archive": files("a.npz", archive(t, some)), "a folder": files(pairs...)} {
				set, err := Open(fsys, ".", Options{X: tensor.Float32, Y: tensor.Float32})
				if missing := lacks == n.x || lacks == n.y; missing || err != nil {
					if missing != (err != nil) {
						t.Errorf("names %d as %s, without %s: %v", i, form, lacks, err)
					}
					continue
				}
				if got, val := show(t, set.Train, 0), show(t, set.Val, 0); got != want || val != wantVal {
					t.Errorf("names %d as %s, without %q: %s and %s", i, form, lacks, got, val)
				}
			}
		}
	}
}

// TestIDXOfSpecification writes files by the description of the format, of each type and rank, and reads them.
func TestIDXOfSpecification(t *testing.T) {
	types := map[byte]struct {
		append func(b []byte, v int) []byte
		dtype  tensor.DType
	}{
		0x08: {func(b []byte, v int) []byte { return append(b, byte(v)) }, tensor.Uint8},
		0x09: {func(b []byte, v int) []byte { return append(b, byte(-v)) }, tensor.Int8},
		0x0b: {func(b []byte, v int) []byte { return binary.BigEndian.AppendUint16(b, uint16(-300*v)) }, tensor.Int16},
		0x0c: {func(b []byte, v int) []byte { return binary.BigEndian.AppendUint32(b, uint32(-70000*v)) }, tensor.Int32},
		0x0d: {func(b []byte, v int) []byte { return binary.BigEndian.AppendUint32(b, math.Float32bits(float32(v)/4)) }, tensor.Float32},
		0x0e: {func(b []byte, v int) []byte { return binary.BigEndian.AppendUint64(b, math.Float64bits(float64(v)/8)) }, tensor.Float64},
	}
	factor := map[byte]float64{0x08: 1, 0x09: -1, 0x0b: -300, 0x0c: -70000, 0x0d: 0.25, 0x0e: 0.125}
	for code := range byte(0x20) {
		for _, shape := range [][]int{{}, {3}, {2, 2}, {2, 0, 5}, {1, 2, 3, 4}} {
			b, n := []byte{0, 0, code, byte(len(shape))}, 1
			for _, d := range shape {
				b, n = binary.BigEndian.AppendUint32(b, uint32(d)), n*d
			}
			kind, ok := types[code]
			if !ok {
				if _, err := DecodeIDX(b); err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("idx: elements have type %#02x, want", code)) {
					t.Errorf("type %#02x: %v", code, err)
				}
				continue
			}
			for i := range n {
				b = kind.append(b, i+1)
			}
			got, err := DecodeIDX(b)
			if err != nil || got.DType != kind.dtype || !slices.Equal(got.Shape, shape) {
				t.Errorf("type %#02x, shape %v: %v, %v", code, shape, got, err)
				continue
			}
			for i := range n {
				if v := number(got, i); v != factor[code]*float64(i+1) {
					t.Errorf("type %#02x, shape %v: element %d is %v", code, shape, i, v)
				}
			}
		}
	}
}

// TestRankOfIDX: the rank is a byte.
func TestRankOfIDX(t *testing.T) {
	for rank, want := range map[int]string{255: "<nil>", 256: "idx has no room for 256 dimensions"} {
		x := tensor.New(tensor.Uint8, slices.Repeat([]int{1}, rank)...)
		b, err := AppendIDX(nil, x)
		if fmt.Sprint(err) != want {
			t.Errorf("rank %d: %v, want %s", rank, err, want)
		}
		if back, readErr := DecodeIDX(b); err == nil && (readErr != nil || !tensor.Equal(back, x)) {
			t.Errorf("rank %d comes back as %v, %v", rank, back, readErr)
		}
	}
}

// number returns an element as a number.
func number(t *tensor.Tensor, i int) float64 {
	switch d := t.Data.(type) {
	case []uint8:
		return float64(d[i])
	case []int8:
		return float64(d[i])
	case []int16:
		return float64(d[i])
	case []int32:
		return float64(d[i])
	case []float32:
		return float64(d[i])
	case []float64:
		return d[i]
	}
	return math.NaN()
}

// TestClassesOfIDX: labels that are bytes are classes, up to the largest one; others may be values.
func TestClassesOfIDX(t *testing.T) {
	pixels := tensor.New(tensor.Uint8, 3, 1, 1)
	for _, c := range []struct {
		labels *tensor.Tensor
		want   int
	}{
		{tensor.Of([]uint8{1, 9, 4}, 3), 10},
		{tensor.Of([]uint8{255, 0, 0}, 3), 256},
		{tensor.Of([]uint8{0, 0, 0}, 3), 1},
		{tensor.Of([]int32{1, 9, 4}, 3), 0},
		{tensor.Of([]float32{1, 9, 4}, 3), 0},
	} {
		for _, names := range idxNames {
			set, err := Open(files(names.images+".gz", zipped(idx(t, pixels)), names.labels, idx(t, c.labels)), ".", Options{X: tensor.Float32, Y: tensor.Int64})
			if err != nil || set.Classes != c.want || set.Val != nil {
				t.Errorf("%s: %+v, %v, want %d classes", names.labels, set, err, c.want)
			}
		}
	}
}
