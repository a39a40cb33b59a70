package dataset

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestFollowClasses numbers the classes of data as a model does, also if the data lack some.
func TestFollowClasses(t *testing.T) {
	var img bytes.Buffer
	if err := png.Encode(&img, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		file   string
		fsys   []any
		y      tensor.DType
		x      tensor.DType
		model  []string
		labels string
		names  string
		err    string
	}{
		{"csv", "f.csv", []any{"f.csv", "a,label\n1,cat\n2,eel\n"}, tensor.Int64, tensor.Float32, []string{"ant", "eel", "cat"}, "[2 1]", "[ant eel cat]", ""},
		{"the same", "f.csv", []any{"f.csv", "a,label\n1,cat\n2,eel\n"}, tensor.Int64, tensor.Float32, []string{"cat", "eel"}, "[0 1]", "[cat eel]", ""},
		{"numbers", "f.csv", []any{"f.csv", "a,label\n1,1\n2,0\n"}, tensor.Int64, tensor.Float32, []string{"cat", "eel"}, "[1 0]", "[]", ""},
		{"no names", "f.csv", []any{"f.csv", "a,label\n1,eel\n2,cat\n"}, tensor.Int64, tensor.Float32, nil, "[1 0]", "[cat eel]", ""},
		{"images", ".", []any{"cat/1.png", img.Bytes(), "eel/1.png", img.Bytes()}, tensor.Int64, tensor.Float32, []string{"ant", "cat", "eel"}, "[1 2]", "[ant cat eel]", ""},
		{"text", "f.txt", []any{"f.txt", "bdb"}, tensor.Int64, tensor.Int64, []string{"a", "b", "c", "d"}, "[3 1]", "[a b c d]", ""},
		{"text with others", "f.txt", []any{"f.txt", "bxb"}, tensor.Int64, tensor.Int64, []string{"a", "b", unknown}, "[2 1]", "[a b \ufffd]", ""},
		{"another class", "f.csv", []any{"f.csv", "a,label\n1,cat\n2,eel\n"}, tensor.Int64, tensor.Float32, []string{"cat", "dog"}, "[0 1]", "[cat eel]",
			`the data have the class "eel", which the model does not have; its classes are: cat, dog`},
	} {
		opt := Options{X: c.x, Y: c.y}
		if c.x == tensor.Int64 {
			opt.Shape = []int{2} // a window of text
		}
		set, err := Open(files(c.fsys...), c.file, opt)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if err := set.FollowClasses(c.model); fmt.Sprint(err) != c.err && (err != nil || c.err != "") {
			t.Errorf("%s: got error %v, want %q", c.name, err, c.err)
		}
		_, y := everything(t, set.Train)
		if got := fmt.Sprint(y.Data); got != c.labels && got != "["+c.labels+"]" || fmt.Sprint(set.Names) != c.names {
			t.Errorf("%s: labels %v of %v, want %s of %s", c.name, y.Data, set.Names, c.labels, c.names)
		}
	}
}

// TestFollowColumns chooses columns by their names.
func TestFollowColumns(t *testing.T) {
	const file = "id,b,a,color,label\n1,2,3,red,0\n4,5,6,blue,1\n"
	for _, c := range []struct {
		name       string
		categories []string
		columns    []string
		model      []string
		want       string
		err        string
	}{
		{"another order, fewer", nil, []string{"id", "b", "a"}, []string{"a", "b"}, "[3 2 6 5]", ""},
		{"the same", nil, []string{"b", "a"}, []string{"b", "a"}, "[2 3 5 6]", ""},
		{"one is missing", nil, []string{"b", "a"}, []string{"a", "c"}, "[2 3 5 6]", `the data have no column "c", which the model reads; its columns are: a, c; those of the data: b, a`},
		{"a word is missing", []string{"color"}, []string{"a", "color"}, []string{"color=blue", "color=green", "color=red", "a"}, "[0 0 1 3 1 0 0 6]", ""},
		{"a new word", []string{"color"}, []string{"a", "color"}, []string{"a", "color=red"}, "[3 0 1 6 1 0]", `the data have "color=blue", a word that the model does not know; its columns are: a, color=red`},
	} {
		set, err := Open(files("f.csv", file), "f.csv", Options{X: tensor.Float32, Y: tensor.Int64, Columns: c.columns, Categories: c.categories})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if err := set.FollowColumns(c.model); fmt.Sprint(err) != c.err && (err != nil || c.err != "") {
			t.Errorf("%s: got error %v, want %q", c.name, err, c.err)
		}
		x, _ := everything(t, set.Train)
		if got := fmt.Sprint(x.Data); got != c.want || set.Train.Features().Len() != len(tensor.Data[float32](x))/2 {
			t.Errorf("%s: features %s of %v, want %s", c.name, got, set.Train.Features(), c.want)
		}
	}
}

// TestLearned leaves out columns that a trained model has not learned, and makes a category of one whose words it has.
func TestLearned(t *testing.T) {
	const text = "name,color,size,label\nx,red,1,0\ny,blue,2,1\n"
	for _, c := range []struct {
		learned, columns []string
		want             string
	}{
		{[]string{"size", "color=blue", "color=red"}, nil, "[color=blue color=red size]"},
		{[]string{"size"}, nil, "[size]"},
		{[]string{"size"}, []string{"color"}, "f.csv: line 2: column \"color\" is \"red\", want a number (--categories color makes a feature of each of its words, --columns chooses others)"},
		{[]string{"other"}, nil, "f.csv: line 2: column \"name\" is \"x\", want a number (--categories name makes a feature of each of its words, --columns chooses others)"},
	} {
		set, err := Open(files("f.csv", text), "f.csv", Options{X: tensor.Float32, Y: tensor.Int64, Learned: c.learned, Columns: c.columns})
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(set.Columns)
		}
		if got != c.want {
			t.Errorf("%v and %v: got %s, want %s", c.learned, c.columns, got, c.want)
		}
	}
}

// TestLabelRange finds the labels and values of parts and of changed sources, and leaves out those that do not count.
func TestLabelRange(t *testing.T) {
	set, err := Open(files("f.csv", "a,label\n1,3\n2,-100\n3,1\n4,255\n"), "f.csv", Options{X: tensor.Float32, Y: tensor.Int64})
	if err != nil {
		t.Fatal(err)
	}
	train, _ := Split(set.Train, 0.5, 1)
	if train, err = Normalize(train, []float32{1}, []float32{2}); err != nil {
		t.Fatal(err)
	}
	if first, last, ok := LabelRange(train, []int{255}); first != -100 || last != 3 || !ok {
		t.Errorf("got %d to %d, %v, want -100 to 3", first, last, ok)
	}
	if first, last, ok := LabelRange(train, []int{-100}); first != 1 || last != 255 || !ok {
		t.Errorf("got %d to %d, %v, want 1 to 255", first, last, ok)
	}
	if _, _, ok := LabelRange(train, []int{-100, 255, 1, 3}); ok {
		t.Error("no label counts, want false")
	}
	values, err := Open(files("f.csv", "a,label\n1,3\n2,-1.5\n"), "f.csv", Options{X: tensor.Float32, Y: tensor.Float32})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok := LabelRange(values.Train, nil); ok {
		t.Error("values have a range of labels, want false")
	}
	if first, last, ok := ValueRange(values.Train); first != -1.5 || last != 3 || !ok {
		t.Errorf("got %v to %v, %v, want -1.5 to 3", first, last, ok)
	}
	if _, _, ok := ValueRange(train); ok {
		t.Error("classes have a range of values, want false")
	}
}
