package columnar

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// flower is a line of the tables of tests.
type flower struct {
	Width  float64   `parquet:"width"`
	Height *int32    `parquet:"height,optional"`
	Color  *string   `parquet:"color,optional,dict"`
	Pixels []float32 `parquet:"pixels,list"`
	Class  string    `parquet:"class"`
	Number int64     `parquet:"number"`
}

func ptr[T any](v T) *T { return &v }

// flowers returns n lines without missing cells.
func flowers(n int) []flower {
	out := make([]flower, n)
	for i := range out {
		f := float32(i)
		out[i] = flower{
			Width: float64(i) / 4, Height: ptr(int32(i - 5)), Color: ptr([]string{"red", "blue", "green"}[i%3]),
			Pixels: []float32{f, f + 0.5, f + 1, f + 1.5}, Class: []string{"rose", "tulip"}[i%2], Number: int64(i % 7),
		}
	}
	return out
}

// parquetFile returns the lines as a Parquet file with row groups of some lines.
func parquetFile(t testing.TB, lines []flower, group int, opt ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[flower](&b, opt...)
	for at := 0; at < len(lines); at += group {
		if _, err := w.Write(lines[at:min(at+group, len(lines))]); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// arrowFile returns the lines as an Arrow file or stream with record batches of some lines.
func arrowFile(t testing.TB, lines []flower, group int, stream bool, opt ...ipc.Option) []byte {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "width", Type: arrow.PrimitiveTypes.Float64},
		{Name: "height", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "color", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, Nullable: true},
		{Name: "pixels", Type: arrow.FixedSizeListOf(2, arrow.ListOf(arrow.PrimitiveTypes.Float32)), Nullable: true},
		{Name: "class", Type: arrow.BinaryTypes.String},
		{Name: "number", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	var b bytes.Buffer
	opt = append(opt, ipc.WithSchema(schema), ipc.WithDictionaryDeltas(true))
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	}
	w = ipc.NewWriter(&b, opt...)
	if !stream {
		f, err := ipc.NewFileWriter(&b, opt...)
		if err != nil {
			t.Fatal(err)
		}
		w = f
	}
	r := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	words := r.Field(2).(*array.BinaryDictionaryBuilder)
	for at := 0; at < len(lines); at += group {
		for _, l := range lines[at:min(at+group, len(lines))] {
			r.Field(0).(*array.Float64Builder).Append(l.Width)
			if l.Height == nil {
				r.Field(1).AppendNull()
			} else {
				r.Field(1).(*array.Int32Builder).Append(*l.Height)
			}
			if l.Color == nil {
				words.AppendNull()
			} else if err := words.AppendString(*l.Color); err != nil {
				t.Fatal(err)
			}
			appendPixels(r.Field(3).(*array.FixedSizeListBuilder), l.Pixels)
			r.Field(4).(*array.StringBuilder).Append(l.Class)
			r.Field(5).(*array.Int64Builder).Append(l.Number)
		}
		if err := w.Write(r.NewRecordBatch()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// appendPixels appends a cell of two rows; nil is missing.
func appendPixels(b *array.FixedSizeListBuilder, pixels []float32) {
	if pixels == nil {
		b.AppendNull()
		return
	}
	b.Append(true)
	row := b.ValueBuilder().(*array.ListBuilder)
	for i := 0; i < len(pixels); i += len(pixels) / 2 {
		row.Append(true)
		row.ValueBuilder().(*array.Float32Builder).AppendValues(pixels[i:i+len(pixels)/2], nil)
	}
}

// formats returns the same lines in each format, compressed or not.
func formats(t testing.TB, lines []flower, group int) map[string][]byte {
	out := map[string][]byte{
		"plain.arrow": arrowFile(t, lines, group, false), "zstd.feather": arrowFile(t, lines, group, false, ipc.WithZstd()),
		"lz4.arrow": arrowFile(t, lines, group, false, ipc.WithLZ4()), "stream.arrows": arrowFile(t, lines, group, true),
		"version1.parquet": parquetFile(t, lines, group, parquet.DataPageVersion(1)),
	}
	for name, codec := range map[string]compress.Codec{"none": &parquet.Uncompressed, "snappy": &parquet.Snappy, "gzip": &parquet.Gzip, "zstd": &parquet.Zstd, "brotli": &parquet.Brotli} {
		out[name+".parquet"] = parquetFile(t, lines, group, parquet.Compression(codec))
	}
	return out
}

// converted converts a file and opens the result as a trainer does.
func converted(t *testing.T, name string, file []byte, opt dataset.Options) (*dataset.Set, error) {
	t.Helper()
	from := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(from, file, 0o666); err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	if err := Convert(from, to, opt); err != nil {
		return nil, err
	}
	return dataset.Open(os.DirFS(to), ".", dataset.Options{X: tensor.Float32, Y: opt.Y})
}

// show returns the first and the last example.
func show(t *testing.T, s *dataset.Set) string {
	t.Helper()
	at := []int{0, s.Train.Len() - 1}
	x, y := s.Train.Features().Tensor(2), s.Train.Labels().Tensor(2)
	if err := s.Train.Batch(at, x, y); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d of %v→%v: %v %v %v %v", s.Train.Len(), s.Train.Features(), s.Train.Labels(), x.Data, y.Data, s.Names, s.Columns)
}

// TestFormats shows that the same table gives the same examples in every format, with every compression, and however
// it is divided into row groups.
func TestFormats(t *testing.T) {
	opt := dataset.Options{Y: tensor.Int64, Columns: []string{"height", "color", "width"}, Categories: []string{"color"}}
	want := "9000 of float32[5]→int64[]: [-5 0 0 1 0 8994 0 1 0 2249.75] [0 1] [rose tulip] [height color=blue color=green color=red width]"
	for _, group := range []int{9000, 5000, 777} {
		for name, file := range formats(t, flowers(9000), group) {
			set, err := converted(t, name, file, opt)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if got := show(t, set); got != want {
				t.Errorf("%s:\n%s, want\n%s", name, got, want)
			}
		}
	}
}

// TestLists shows that lists of numbers become vectors or images, and labels that are numbers stay what they are.
func TestLists(t *testing.T) {
	for name, file := range formats(t, flowers(100), 40) {
		set, err := converted(t, name, file, dataset.Options{Y: tensor.Int64, Label: "number", Columns: []string{"pixels"}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := "100 of float32[4]→int64[]: [0 0.5 1 1.5 99 99.5 100 100.5] [0 1] [] []"
		if !strings.HasSuffix(name, ".parquet") {
			want = strings.Replace(want, "[4]", "[2,2]", 1)
		}
		if got := show(t, set); got != want {
			t.Errorf("%s:\n%s, want\n%s", name, got, want)
		}
	}
	file := formats(t, flowers(10), 10)["none.parquet"]
	set, err := converted(t, "a.parquet", file, dataset.Options{Y: tensor.Float32, Label: "pixels", Columns: []string{"number", "height"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := show(t, set), "10 of float32[2]→float32[4]: [0 -5 2 4] [0 0.5 1 1.5 9 9.5 10 10.5] [] [number height]"; got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}

// TestMissing shows what becomes of missing cells: an error with their place, lines that are left out, or a number.
func TestMissing(t *testing.T) {
	lines := flowers(10)
	lines[0].Pixels, lines[3].Height, lines[4].Width, lines[5].Color = nil, nil, math.NaN(), nil
	for name, file := range formats(t, lines, 4) {
		group := "row group"
		if !strings.HasSuffix(name, ".parquet") {
			group = "record batch"
		}
		for _, tt := range []struct{ columns, missing, want string }{
			{"height", "", group + ` 0: line 3: column "height" (`},
			{"width", "", group + ` 1: line 0: column "width" (`},
			{"height,width", "drop", "8 of float32[2]"},
			{"height,width", "7", "10 of float32[2]"},
			{"color", "0", "10 of float32[3]"},
			{"color", "drop", "9 of float32[3]"},
			{"pixels", "drop", "9 of float32["},
			{"pixels", "0", "the shape is unknown"},
		} {
			opt := dataset.Options{Y: tensor.Int64, Columns: strings.Split(tt.columns, ","), Missing: tt.missing}
			if tt.columns == "color" {
				opt.Categories = opt.Columns
			}
			set, err := converted(t, name, file, opt)
			got := fmt.Sprint(err)
			if err == nil {
				got = show(t, set)
			}
			if !strings.Contains(got, tt.want) {
				t.Errorf("%s: columns %s, missing %q: %s, want %s", name, tt.columns, tt.missing, got, tt.want)
			}
		}
	}
}

// TestRefused shows the errors for columns that cannot be learned from, and for files that are none.
func TestRefused(t *testing.T) {
	good := parquetFile(t, flowers(20), 10)
	ragged := flowers(20)
	ragged[13].Pixels = []float32{1, 2, 3}
	group, err := os.ReadFile("testdata/empty.parquet") // pyarrow's, of a group with no lines
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, want string
		file       []byte
		opt        dataset.Options
	}{
		{"a group without lines", "no examples", group, dataset.Options{Columns: []string{"width"}}},
		{"no such column", `there is no column "size"; there are: width, height`, good, dataset.Options{Columns: []string{"size"}}},
		{"text as a number", `column "color" is STRING, want numbers (--categories color`, good, dataset.Options{}},
		{"categories of numbers", `column "width" has categories, and is DOUBLE`, good, dataset.Options{Columns: []string{"width"}, Categories: []string{"width"}}},
		{"ragged lists", `row group 1: column "pixels" (list<FLOAT>): a list of 3 elements`, parquetFile(t, ragged, 10), dataset.Options{Columns: []string{"pixels"}}},
		{"LZ4", "compression LZ4_RAW is not supported", parquetFile(t, flowers(20), 10, parquet.Compression(&parquet.Lz4Raw)), dataset.Options{Columns: []string{"width"}}},
		{"truncated", "was not written to its end", good[:len(good)-3], dataset.Options{}},
		{"no table", "the file begins with", []byte("a,b,c\n"), dataset.Options{}},
		{"empty", "the file begins with", nil, dataset.Options{}},
		{"no lines", "no examples", parquetFile(t, nil, 1), dataset.Options{Columns: []string{"width"}}},
	} {
		tt.opt.Y = tensor.Int64
		if _, err := converted(t, "f.parquet", tt.file, tt.opt); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "f.parquet") {
			t.Errorf("%s: %v, want %s and the file's name", tt.name, err, tt.want)
		}
	}
}

// TestFolder shows that a folder's files are one table for training and one for validation, whose words are those of
// the training.
func TestFolder(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	lines := flowers(30)
	for name, file := range map[string][]byte{
		"train-0.parquet": parquetFile(t, lines[:10], 5), "train-1.parquet": parquetFile(t, lines[10:20], 5), "val.parquet": parquetFile(t, lines[21:22], 5),
	} {
		if err := os.WriteFile(filepath.Join(from, name), file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if !Has(from) || Has(to) {
		t.Error("a folder with tables counts as none, or one without as one")
	}
	if err := Convert(from, to, dataset.Options{Columns: []string{"width"}}); err != nil {
		t.Fatal(err)
	}
	set, err := dataset.Open(os.DirFS(to), ".", dataset.Options{X: tensor.Float32, Y: tensor.Int64})
	if err != nil {
		t.Fatal(err)
	}
	x, y := set.Val.Features().Tensor(1), set.Val.Labels().Tensor(1)
	if err := set.Val.Batch([]int{0}, x, y); err != nil {
		t.Fatal(err)
	}
	if set.Train.Len() != 20 || fmt.Sprint(x.Data, y.Data) != "[5.25] [1]" {
		t.Errorf("%d examples for training, and for validation %v %v, want 20, 5.25 and 1", set.Train.Len(), x.Data, y.Data)
	}
	lines[25].Class = "daisy"
	if err := os.WriteFile(filepath.Join(from, "val.parquet"), parquetFile(t, lines[25:], 5), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Convert(from, t.TempDir(), dataset.Options{Columns: []string{"width"}}); err == nil || !strings.Contains(err.Error(), `label "daisy": not among the labels that are trained`) {
		t.Errorf("a label that is not trained: %v", err)
	}
}

// TestFolderOfNumbers: labels that are words for numbers have no classes, so that other words for validation are an error.
func TestFolderOfNumbers(t *testing.T) {
	for class, want := range map[string]string{
		"1":     "",
		"tulip": "val.parquet: labels are words such as \"tulip\", those to learn from are numbers",
	} {
		from := t.TempDir()
		lines := flowers(2)
		lines[0].Class, lines[1].Class = "2", class
		for name, lines := range map[string][]flower{"train.parquet": lines[:1], "val.parquet": lines[1:]} {
			if err := os.WriteFile(filepath.Join(from, name), parquetFile(t, lines, 5), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		err := Convert(from, t.TempDir(), dataset.Options{Columns: []string{"width"}})
		if (err == nil) != (want == "") || err != nil && !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", class, err, want)
		}
	}
}
