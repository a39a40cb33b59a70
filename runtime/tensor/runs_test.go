package tensor

import (
	"bytes"
	"slices"
	"testing"
)

// TestRuns checks the size of elements with repetitions, and that they are read back.
func TestRuns(t *testing.T) {
	row := make([]float32, 32)
	for i := range row {
		row[i] = float32(i)
	}
	ones := slices.Repeat([]float32{1}, 96)
	for _, c := range []struct {
		name  string
		x     []float32
		bytes int
	}{
		{"nothing", nil, 0},
		{"less than a unit", []float32{1, 2, 3}, 12},
		{"one unit", row, 132},
		{"all the same", slices.Repeat([]float32{0.5}, 1<<16), 132},
		{"two runs and a rest", slices.Concat(slices.Repeat(row, 1000), ones, []float32{7}), 2*132 + 4},
	} {
		b, ok := AppendRuns([]byte{9}, Of(c.x, len(c.x)).Bytes(), c.bytes)
		if len(b) != 1+c.bytes || !ok {
			t.Errorf("%s: %d bytes, %v, want %d", c.name, len(b)-1, ok, c.bytes)
		}
		if _, ok := AppendRuns([]byte{9}, Of(c.x, len(c.x)).Bytes(), c.bytes-1); ok {
			t.Errorf("%s: fits in %d bytes", c.name, c.bytes-1)
		}
		got := Runs[float32](b, 1, len(c.x))
		if !slices.Equal(got, c.x) {
			t.Errorf("%s: got other elements back", c.name)
		}
	}
}

// TestRunsOfDamagedBytes checks that damaged bytes cause a panic.
func TestRunsOfDamagedBytes(t *testing.T) {
	b, _ := AppendRuns(nil, bytes.Repeat([]byte{1}, 1024), 1024)
	b[0]++
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Runs[float32](b, 0, 256)
}
