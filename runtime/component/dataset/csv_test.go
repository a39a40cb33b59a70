package dataset

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// FuzzCSV checks that a readable file gives the same examples as the file that is written from them.
func FuzzCSV(f *testing.F) {
	f.Add([]byte("a,b,class\n1,2.5,cat\n-3e9,NaN,dog\n"), "", false)
	f.Add([]byte("1,2,0\n3,4,1\n"), "1", true)
	f.Add([]byte("\"a b\",label\n 1 ,\"x\"\"y\n z\"\n"), "label", false)
	f.Add([]byte("\"\",label\n1,\"a\r\r\nb\"\n"), "label", false)
	f.Add([]byte("a,b\n1,2,3\n"), "", false)
	f.Fuzz(func(t *testing.T, file []byte, label string, floats bool) {
		opt := Options{X: tensor.Float32, Y: tensor.Int64, Label: label}
		if floats {
			opt.Y = tensor.Float32
		}
		set, err := Open(files("f.csv", file), "f.csv", opt)
		if err != nil {
			return
		}
		x, y := everything(t, set.Train)
		again := writeCSV(x, y, set.Names)
		opt.Label = "label"
		back, err := Open(files("f.csv", again), "f.csv", opt)
		if err != nil {
			t.Fatalf("%q is written as %q: %v", file, again, err)
		}
		x2, y2 := everything(t, back.Train)
		for i, name := range set.Names { // csv reads the end of a line in quotes so
			set.Names[i] = strings.ReplaceAll(name, "\r\n", "\n")
		}
		if fmt.Sprint(x.Shape, x.Data, y.Data, set.Names) != fmt.Sprint(x2.Shape, x2.Data, y2.Data, back.Names) {
			t.Errorf("%q reads as %v %v %q, what is written from that, %q, as %v %v %q",
				file, x.Data, y.Data, set.Names, again, x2.Data, y2.Data, back.Names)
		}
	})
}

// everything returns all examples of a source.
func everything(t *testing.T, s DataSource) (x, y *tensor.Tensor) {
	t.Helper()
	all := make([]int, s.Len())
	for i := range all {
		all[i] = i
	}
	x, y = s.Features().Tensor(len(all)), s.Labels().Tensor(len(all))
	if err := s.Batch(all, x, y); err != nil {
		t.Fatal(err)
	}
	return x, y
}

// writeCSV writes examples with a header, the label last.
func writeCSV(x, y *tensor.Tensor, names []string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	width := x.Shape[1]
	var header []string
	for i := range width {
		header = append(header, fmt.Sprintf("column%d", i))
	}
	w.Write(append(header, "label"))
	for i := range x.Shape[0] {
		var row []string
		for _, v := range tensor.Data[float32](x)[i*width:][:width] {
			row = append(row, strconv.FormatFloat(float64(v), 'g', -1, 32))
		}
		switch d := y.Data.(type) {
		case []float32:
			row = append(row, strconv.FormatFloat(float64(d[i]), 'g', -1, 32))
		case []int64:
			label := strconv.FormatInt(d[i], 10)
			if names != nil {
				label = names[d[i]]
			}
			row = append(row, label)
		}
		w.Write(row)
	}
	w.Flush()
	return b.Bytes()
}
