package dataset

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/npz"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// files returns a file system of alternating names and contents.
func files(pairs ...any) fstest.MapFS {
	fsys := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		var b []byte
		switch v := pairs[i+1].(type) {
		case string:
			b = []byte(v)
		case []byte:
			b = v
		}
		fsys[pairs[i].(string)] = &fstest.MapFile{Data: b}
	}
	return fsys
}

// show returns examples as text.
func show(t *testing.T, s DataSource, indices ...int) string {
	t.Helper()
	if s == nil {
		return "none"
	}
	x, y := s.Features().Tensor(len(indices)), s.Labels().Tensor(len(indices))
	if err := s.Batch(indices, x, y); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d of %v→%v: %v %v", s.Len(), s.Features(), s.Labels(), x.Data, y.Data)
}

func idx(t *testing.T, x *tensor.Tensor) []byte {
	b, err := AppendIDX(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func zipped(b []byte) []byte {
	var w bytes.Buffer
	z := gzip.NewWriter(&w)
	z.Write(b)
	z.Close()
	return w.Bytes()
}

func npy(t *testing.T, x *tensor.Tensor) []byte {
	b, err := tensorio.AppendNPY(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func archive(t *testing.T, arrays map[string]*tensor.Tensor) []byte {
	var w bytes.Buffer
	if err := npz.Write(&w, arrays); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

// picture is a PNG of one color.
func picture(w, h int, c color.Color) []byte {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		img.Set(i%w, i/w, c)
	}
	var b bytes.Buffer
	png.Encode(&b, img)
	return b.Bytes()
}

// TestOpen shows the result for each kind of data: the first and the last example for training, then those for
// validation.
func TestOpen(t *testing.T) {
	bytes2 := tensor.Of([]byte{0, 51, 255, 102}, 2, 1, 2)
	labels2 := tensor.Of([]byte{7, 3}, 2)
	floats2 := tensor.Of([]float64{1, 2, 3, 4}, 2, 2)
	numbers2 := tensor.Of([]int32{4, 5}, 2)
	red := color.RGBA{255, 0, 51, 255}
	for _, tt := range []struct {
		name       string
		fsys       fstest.MapFS
		file       string
		opt        Options
		train, val string
		names      string
	}{
		{"MNIST, compressed or not", files("train-images-idx3-ubyte.gz", zipped(idx(t, bytes2)), "train-labels-idx1-ubyte", idx(t, labels2),
			"t10k-images-idx3-ubyte", idx(t, bytes2), "t10k-labels-idx1-ubyte.gz", zipped(idx(t, labels2))), ".", Options{},
			"2 of float32[1,2]→int64[]: [0 0.2 1 0.4] [7 3]", "2 of float32[1,2]→int64[]: [0 0.2 1 0.4] [7 3]", "[]"},
		{"a table with a header", files("a.csv", "height,class,width\n1,cat,2\n3.5,ant,4\n"), "a.csv", Options{},
			"2 of float32[2]→int64[]: [1 2 3.5 4] [1 0]", "none", "[ant cat]"},
		{"a table with a byte order mark", files("a.csv", "\ufeffclass,width\ncat,2\nant,4\n"), "a.csv", Options{Label: "class", Columns: []string{"width"}},
			"2 of float32[1]→int64[]: [2 4] [1 0]", "none", "[ant cat]"},
		{"a table without, for regression", files("a.csv", "1,2,0.5\n3,4,1e1\n"), "a.csv", Options{Y: tensor.Float32},
			"2 of float32[2]→float32[]: [1 2 3 4] [0.5 10]", "none", "[]"},
		{"a label by its column", files("a.tsv", "1\t2\t5\n3\t4\t6\n"), "a.tsv", Options{Label: "1"},
			"2 of float32[2]→int64[]: [2 5 4 6] [1 3]", "none", "[]"},
		{"two tables", files("train.csv", "x,y\n1,b\n2,a\n", "val.csv", "x,y\n3,b\n3,b\n"), ".", Options{},
			"2 of float32[1]→int64[]: [1 2] [1 0]", "2 of float32[1]→int64[]: [3 3] [1 1]", "[a b]"},
		{"chosen columns, in their order", files("a.csv", "id,b,a,y\nx,1,2,0\nx,3,4,1\n"), "a.csv", Options{Columns: []string{"a", "b"}},
			"2 of float32[2]→int64[]: [2 1 4 3] [0 1]", "none", "[]"},
		{"categories", files("train.csv", "color,a,y\nred,1,0\nblue,2,1\n", "val.csv", "color,a,y\nblue,3,0\nred,4,1\n"), ".", Options{Categories: []string{"color"}},
			"2 of float32[3]→int64[]: [0 1 1 1 0 2] [0 1]", "2 of float32[3]→int64[]: [1 0 3 0 1 4] [0 1]", "[]"},
		{"lines with empty cells left out", files("a.csv", "a,b,y\n1,,0\n1,2,\n3,4,1\n5,6,0\n"), "a.csv", Options{Missing: "drop"},
			"2 of float32[2]→int64[]: [3 4 5 6] [1 0]", "none", "[]"},
		{"NaN is an empty cell", files("a.csv", "a,b,y\n1,NaN,0\n3,4,1\n5,nan,0\n7,8,NaN\n9,8,0\n"), "a.csv", Options{Missing: "drop"},
			"2 of float32[2]→int64[]: [3 4 9 8] [1 0]", "none", "[]"},
		{"what programs write for a missing number", files("a.csv", "a,b,y\n1,NA,0\n3,4,None\n5,#N/A,0\nnull,8,1\n9,8,1\n"), "a.csv", Options{Missing: "drop"},
			"2 of float32[2]→int64[]: [3 4 9 8] [1 0]", "none", "[1 None]"},
		{"words for a missing number are words of a category", files("a.csv", "a,c,y\n1,NA,0\n1,DE,0\n"), "a.csv", Options{Missing: "drop", Categories: []string{"c"}},
			"2 of float32[3]→int64[]: [1 0 1 1 1 0] [0 0]", "none", "[]"},
		{"empty cells filled", files("a.csv", "a,c,y\n,x,0\n1,,0\n"), "a.csv", Options{Missing: "-1", Categories: []string{"c"}},
			"2 of float32[2]→int64[]: [-1 1 1 0] [0 0]", "none", "[]"},
		{"an archive as Keras has it", files("m.npz", archive(t, map[string]*tensor.Tensor{"x_train": bytes2, "y_train": labels2, "x_test": bytes2, "y_test": labels2})), "m.npz", Options{},
			"2 of float32[1,2]→int64[]: [0 0.2 1 0.4] [7 3]", "2 of float32[1,2]→int64[]: [0 0.2 1 0.4] [7 3]", "[]"},
		{"arrays", files("x.npy", npy(t, floats2), "y.npy", npy(t, numbers2)), ".", Options{},
			"2 of float32[2]→int64[]: [1 2 3 4] [4 5]", "none", "[]"},
		{"numbers as features", files("x.npy", npy(t, floats2), "y.npy", npy(t, numbers2)), ".", Options{X: tensor.Int64, Y: tensor.Float32},
			"2 of int64[2]→float32[]: [1 2 3 4] [4 5]", "none", "[]"},
		{"images", files("p/cat/1.png", picture(4, 2, red), "p/dog/1.png", picture(1, 1, color.White), "p/dog/note.txt", "", "p/.hidden/1.png", ""), "p", Options{Shape: []int{3, 1, 1}},
			"2 of float32[3,1,1]→int64[]: [1 0 0.2 1 1 1] [0 1]", "none", "[cat dog]"},
		{"gray images in two folders", files("train/a/1.png", picture(1, 1, color.White), "train/a/2.png", picture(2, 2, color.Black), "val/a/1.png", picture(3, 3, color.White), "val/a/2.png", picture(3, 3, color.White)), ".", Options{Shape: []int{1, -1, -1}},
			"2 of float32[1,1,1]→int64[]: [1 0] [0 0]", "2 of float32[1,1,1]→int64[]: [1 1] [0 0]", "[a]"},
		{"text", files("a.txt", "abca", "b/c.txt", "dab"), ".", Options{X: tensor.Int64, Shape: []int{3}},
			"2 of int64[3]→int64[3]: [0 1 2 0 3 0] [1 2 0 3 0 1]", "none", "[a b c d]"},
		{"text of more characters than the model has", files("a.txt", "abcabéa"), "a.txt", Options{X: tensor.Int64, Shape: []int{3}, Classes: 3},
			"2 of int64[3]→int64[3]: [1 2 0 1 2 0] [2 0 1 2 0 1]", "none", "[\uFFFD a b]"},
	} {
		if tt.opt.X == 0 {
			tt.opt.X = tensor.Float32
		}
		if tt.opt.Y == 0 {
			tt.opt.Y = tensor.Int64
		}
		set, err := Open(tt.fsys, tt.file, tt.opt)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := show(t, set.Train, 0, 1); got != tt.train {
			t.Errorf("%s: train is\n     %s\nwant %s", tt.name, got, tt.train)
		}
		if got := show(t, set.Val, 0, 1); got != tt.val {
			t.Errorf("%s: val is\n     %s\nwant %s", tt.name, got, tt.val)
		}
		if got := fmt.Sprint(set.Names); got != tt.names {
			t.Errorf("%s: names are %s, want %s", tt.name, got, tt.names)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, tt := range []struct {
		fsys fstest.MapFS
		file string
		opt  Options
		want string
	}{
		{files(), "x", Options{}, "open x: file does not exist"},
		{files("x", ""), "x", Options{}, "x: cannot tell the format from the name: want .csv, .tsv, .npz or .txt, or a folder; bbgen train and bbgen eval also read .parquet and .arrow"},
		{files("x", ""), "x", Options{Format: "tar"}, `there is no format "tar"; there are: idx, csv, npy, npz, images, text`},
		{files("x", ""), "x", Options{Format: "idx"}, "x: data as idx are a folder, not a file"},
		{files("x", ""), ".", Options{Format: "idx"}, "the folder holds no data as idx"},
		{files("x.csv", ""), "x.csv", Options{}, "x.csv: the file is empty"},
		{files("x.csv", "1\n"), "x.csv", Options{}, "x.csv: one column, want features and a label"},
		{files("x.csv", "a,b\n"), "x.csv", Options{}, "x.csv: no examples"},
		{files("x.csv", "a,b\n1,2\n1,2,3\n"), "x.csv", Options{}, "x.csv: line 3 has 3 columns, want 2"},
		{files("x.csv", "a,b\n1,2\n,3\n"), "x.csv", Options{}, `x.csv: line 3: column "a" is empty, want a number (--missing drop leaves such lines out, --missing 0 takes them for 0)`},
		{files("x.csv", "a,b\n1,2\nNaN,3\n"), "x.csv", Options{}, `x.csv: line 3: column "a" is NaN, want a number (--missing drop leaves such lines out, --missing 0 takes them for 0)`},
		{files("x.csv", "a,b\n1,2\n-Inf,3\n"), "x.csv", Options{}, `x.csv: line 3: column "a" is "-Inf", want a finite number`},
		{files("x.csv", "a,b\n1,2\n1,inf\n"), "x.csv", Options{Y: tensor.Float32}, `x.csv: label "inf": want a finite number: the model learns values, not classes`},
		{files("x.csv", "a,b\n1,2\n2,nan\n"), "x.csv", Options{}, `x.csv: line 3: the label, column "b", is empty (--missing drop leaves such lines out)`},
		{files("x.csv", "a;b\n1,5;2\n"), "x.csv", Options{}, `x.csv: columns are separated by ";", want ",", or tabs in a file whose name ends with .tsv`},
		{files("x.csv", "a\tb\n1\t2\n"), "x.csv", Options{}, `x.csv: columns are separated by "\t", want ",", or tabs in a file whose name ends with .tsv`},
		{files("x.csv", "\xff\xfea\x00,\x00b\x00\n\x00"), "x.csv", Options{}, "x.csv: the file is UTF-16, want UTF-8"},
		{files("x.csv", "a,b\n1,2\n2,\n"), "x.csv", Options{}, `x.csv: line 3: the label, column "b", is empty (--missing drop leaves such lines out)`},
		{files("x.csv", "a,b\nred,2\n"), "x.csv", Options{}, `x.csv: line 2: column "a" is "red", want a number (--categories a makes a feature of each of its words, --columns chooses others; the label is the last column, "b", as none is called label, class, target or y: --label names another)`},
		{files("x.csv", "a,b\n,2\nNA,3\n"), "x.csv", Options{Missing: "drop"}, `x.csv: no examples: all 2 lines lack a value, and --missing drop leaves them out`},
		{files("x.csv", "a,b\n1,2\n"), "x.csv", Options{Columns: []string{"c"}}, `x.csv: there is no column "c"; there are: a, b`},
		{files("x.csv", "a,a,b\n1,2,3\n"), "x.csv", Options{Columns: []string{"a"}}, `x.csv: column "a" stands twice in the header: give its number, from 1 to 3`},
		{files("x.csv", "a,b\n1,2\n"), "x.csv", Options{Columns: []string{"b"}}, `x.csv: column "b" is the label, and cannot be a feature, too`},
		{files("x.csv", "a,b\n1,2\n"), "x.csv", Options{Columns: []string{"a", "1"}}, `x.csv: column "a" is given twice`},
		{files("x.csv", "a,b\n1,2\n"), "x.csv", Options{Categories: []string{"b"}}, `x.csv: column "b" has categories, and is no feature`},
		{files("x.csv", "a,b\n1,2\n"), "x.csv", Options{Missing: "mean"}, `x.csv: --missing is "mean", want drop or a number`},
		{files("train.csv", "a,y\nred,1\n", "val.csv", "a,y\nblue,1\n"), ".", Options{Categories: []string{"a"}}, `val.csv: column "a" is "blue", which train.csv does not have`},
		{files("x.csv", "a,b\n1,2\n"), "x.csv", Options{Label: "c"}, `x.csv: there is no label column "c"; there are: a, b`},
		{files("x.csv", "\x1b[2J,"+strings.Repeat("a", 1000)+"\n1,2\n"), "x.csv", Options{Label: "c"}, `x.csv: there is no label column "c"; there are: "\x1b[2J", ` + strings.Repeat("a", 40) + "…"},
		{files("x.csv", "a,b\n"+strings.Repeat("1", 1000)+",2\n"), "x.csv", Options{}, `x.csv: line 2: column "a" is "` + strings.Repeat("1", 60) + `", want a finite number`},
		{files("x.csv", "a,b\n1,word\n"), "x.csv", Options{Y: tensor.Float32}, `x.csv: label "word": want a finite number: the model learns values, not classes`},
		{files("train.csv", "a,b\n1,cat\n", "val.csv", "a,b\n1,dog\n"), ".", Options{}, `val.csv: label "dog": not among the labels that are trained`},
		{files("train-images-idx3-ubyte", "\x00\x00\x08\x01\x00\x00\x00\x00"), ".", Options{}, "open train-labels-idx1-ubyte: file does not exist"},
		{files("a/x.png", "no image"), ".", Options{}, "a/x.png: it begins as neither PNG nor JPEG do: replace or remove it"},
		{files("x.txt", "ab"), "x.txt", Options{}, "x.txt: text is numbers of characters (int64), the model's input is float32 and its labels are int64"},
		{files("x.txt", "ab"), "x.txt", Options{X: tensor.Int64}, "x.txt: 2 characters, want more than 128"},
		{files("x.npz", archive(t, map[string]*tensor.Tensor{"z": tensor.New(tensor.Float32, 1)})), ".", Options{}, "x.npz: no arrays x and y, x_train and y_train, images and labels, or data and target"},
		{files("x.npy", npy(t, tensor.New(tensor.Float32, 2)), "y.npy", npy(t, tensor.New(tensor.Float32, 3))), ".", Options{}, "x, y: features of 2 examples, labels of 3"},
		{files("x.npy", npy(t, tensor.New(tensor.Float32, 1)), "y.npy", npy(t, tensor.Of([]float32{0.5}, 1))), ".", Options{}, "x, y: labels: float32[1] with a fraction at element 0, want whole numbers"},
	} {
		if tt.opt.X == 0 {
			tt.opt.X = tensor.Float32
		}
		if tt.opt.Y == 0 {
			tt.opt.Y = tensor.Int64
		}
		if _, err := Open(tt.fsys, tt.file, tt.opt); err == nil || err.Error() != tt.want {
			t.Errorf("got %v\nwant %s", err, tt.want)
		}
	}
}

func TestBatchRefuses(t *testing.T) {
	s, err := NewMemory(tensor.New(tensor.Float32, 3, 2), tensor.New(tensor.Int64, 3), tensor.Float32, tensor.Int64)
	if err != nil {
		t.Fatal(err)
	}
	x, y := s.Features().Tensor(1), s.Labels().Tensor(1)
	if err := s.Batch([]int{3}, x, y); err == nil {
		t.Error("example 3 of 3 is given")
	}
	if err := s.Batch([]int{0, 1}, x, y); err == nil {
		t.Error("two examples fit tensors for one")
	}
}

func TestOrder(t *testing.T) {
	a := Order(1, 0, 100)
	if b := Order(1, 0, 100); !slices.Equal(a, b) {
		t.Error("the same seed and epoch give another order")
	}
	if b := Order(1, 1, 100); slices.Equal(a, b) {
		t.Error("another epoch gives the same order")
	}
	if got, want := fmt.Sprint(Order(1, 0, 10)), "[0 1 5 9 3 7 6 8 2 4]"; got != want {
		t.Errorf("order is %s, want %s: checkpoints depend on it", got, want)
	}
	slices.Sort(a)
	for i, v := range a {
		if i != v {
			t.Fatalf("no permutation: %v", a)
		}
	}
}

func TestSplit(t *testing.T) {
	x := tensor.Of([]float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 10, 1)
	s, err := NewMemory(x, tensor.New(tensor.Int64, 10), tensor.Float32, tensor.Int64)
	if err != nil {
		t.Fatal(err)
	}
	train, val := Split(s, 0.2, 1)
	seen := show(t, train, 0, 1, 2, 3, 4, 5, 6, 7) + show(t, val, 0, 1)
	for i := range 10 {
		if strings.Count(strings.ReplaceAll(seen, "10", ""), fmt.Sprintf(" %d", i))+strings.Count(seen, fmt.Sprintf("[%d", i)) < 1 {
			t.Errorf("example %d is missing: %s", i, seen)
		}
	}
	if train.Len() != 8 || val.Len() != 2 {
		t.Errorf("%d and %d examples, want 8 and 2", train.Len(), val.Len())
	}
	if all, none := Split(s, 0, 1); all.Len() != 10 || none != nil {
		t.Error("nothing is to be held back")
	}
	// The end of a text is held back.
	set, err := Open(files("a.txt", "0123456789"), "a.txt", Options{X: tensor.Int64, Y: tensor.Int64, Shape: []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	_, val = Split(set.Train, 0.3, 1)
	if got, want := show(t, val, 0), "1 of int64[2]→int64[2]: [6 7] [7 8]"; got != want {
		t.Errorf("held back is %s, want %s", got, want)
	}
}

func TestNormalize(t *testing.T) {
	x := tensor.Of([]float32{1, 2, 3, 4, 5, 6, 7, 8}, 2, 2, 2)
	s, err := NewMemory(x, tensor.New(tensor.Int64, 2), tensor.Float32, tensor.Int64)
	if err != nil {
		t.Fatal(err)
	}
	n, err := Normalize(s, []float32{1, 3}, []float32{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := show(t, n, 0, 1), "2 of float32[2,2]→int64[]: [0 1 0 0.5 4 5 2 2.5] [0 0]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, c := range [][2][]float32{{{1}, {0}}, {{1}, {1, 1}}, {{1, 1, 1}, {1, 1, 1}}} {
		if _, err := Normalize(s, c[0], c[1]); err == nil {
			t.Errorf("%v is accepted", c)
		}
	}
}

func TestAugmentation(t *testing.T) {
	img := []float32{
		1, 2, 3,
		4, 5, 6,
		7, 8, 9,
	}
	for _, tt := range []struct {
		p    placement
		want []float32
	}{
		{place(3, 3, 0, 0, 0, 1, false), img},
		{place(3, 3, 0, 0, 0, 1, true), []float32{3, 2, 1, 6, 5, 4, 9, 8, 7}},
		{place(3, 3, 1, 0, 0, 1, false), []float32{0, 1, 2, 0, 4, 5, 0, 7, 8}},
		{place(3, 3, 0, -0.5, 0, 1, false), []float32{2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 3.5, 4, 4.5}},
		{place(3, 3, 0, 0, 180, 1, false), []float32{9, 8, 7, 6, 5, 4, 3, 2, 1}},
	} {
		got := make([]float32, 9)
		tt.p.draw(got, img, 3, 3)
		for i := range got {
			if d := got[i] - tt.want[i]; d > 1e-5 || d < -1e-5 {
				t.Errorf("got %v, want %v", got, tt.want)
				break
			}
		}
	}
	a, err := ParseAugmentation("shift=2,rotate=10,scale=0.1,flip")
	if err != nil || a != (Augmentation{2, 10, 0.1, true}) {
		t.Errorf("got %v, %v", a, err)
	}
	// The result for an image does not depend on its place in a batch.
	one, two := tensor.Of(slices.Clone(img), 1, 3, 3), tensor.Of(slices.Concat(img, img), 2, 3, 3)
	a.Apply(1, 2, []int{7}, one)
	a.Apply(1, 2, []int{3, 7}, two)
	if !slices.Equal(tensor.Data[float32](one), tensor.Data[float32](two)[9:]) || slices.Equal(tensor.Data[float32](one), img) {
		t.Errorf("got %v and %v", one.Data, two.Data)
	}
	for _, text := range []string{"turn=1", "shift", "shift=x", "shift=-1", "scale=1", "rotate=NaN"} {
		if _, err := ParseAugmentation(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestScaled(t *testing.T) {
	got := scaled([]byte{0, 100, 200, 40}, 1, 1, 4, 1, 2)
	if want := []byte{71, 117}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	got = scaled([]byte{0, 100}, 1, 1, 2, 1, 4)
	if want := []byte{0, 25, 75, 100}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Every example is held back in one fold, and in the others it is learned from.
func TestFold(t *testing.T) {
	for _, n := range []int{2, 3, 10, 11} {
		x := tensor.New(tensor.Float32, n, 1)
		for i := range n {
			tensor.Data[float32](x)[i] = float32(i)
		}
		s, err := NewMemory(x, tensor.New(tensor.Int64, n), tensor.Float32, tensor.Int64)
		if err != nil {
			t.Fatal(err)
		}
		for k := 2; k <= n; k++ {
			held, learned := make([]int, n), make([]int, n)
			for i := range k {
				train, val := Fold(s, i, k, 7)
				if train.Len()+val.Len() != n || val.Len() < n/k {
					t.Errorf("fold %d of %d: %d and %d of %d examples", i, k, train.Len(), val.Len(), n)
				}
				countExamples(t, train, learned)
				countExamples(t, val, held)
			}
			for i := range n {
				if held[i] != 1 || learned[i] != k-1 {
					t.Errorf("example %d of %d: held back in %d of %d folds, and learned from in %d", i, n, held[i], k, learned[i])
				}
			}
		}
	}
}

// countExamples counts the examples of a source, whose features are their numbers.
func countExamples(t *testing.T, s DataSource, counts []int) {
	t.Helper()
	x, y := tensor.New(tensor.Float32, 1, 1), tensor.New(tensor.Int64, 1)
	for i := range s.Len() {
		if err := s.Batch([]int{i}, x, y); err != nil {
			t.Fatal(err)
		}
		counts[int(tensor.Data[float32](x)[0])]++
	}
}
