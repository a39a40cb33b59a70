package dataset

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestValidationTable: a table for validation is read as the one for training is, also if its columns are in another order.
func TestValidationTable(t *testing.T) {
	for _, c := range []struct {
		name, train, val string
		opt              Options
		want             string // the table for validation
	}{
		{"the same columns", "a,b,y\n1,2,0\n", "a,b,y\n3,4,1\n", Options{}, "[3 4] [1]"},
		{"another order", "a,b,y\n1,2,0\n", "b,a,y\n4,3,1\n", Options{}, "[3 4] [1]"},
		{"the label elsewhere", "a,b,y\n1,2,0\n", "y,b,a\n1,4,3\n", Options{}, "[3 4] [1]"},
		{"a last label elsewhere", "a,b,c\n1,2,0\n", "c,a,b\n1,3,4\n", Options{}, "[3 4] [1]"},
		{"a label of another usual name", "a,y\n1,0\n", "a,class\n3,1\n", Options{}, "[3] [1]"},
		{"the label of training among usual names", "a,target\n1,0\n", "a,target\n3,1\n", Options{}, "[3] [1]"},
		{"chosen by name", "a,b,c,y\n1,2,9,0\n", "y,c,b,a\n1,9,4,3\n", Options{Columns: []string{"b", "a"}}, "[4 3] [1]"},
		{"chosen by number", "a,b,y\n1,2,0\n", "b,a,y\n4,3,1\n", Options{Columns: []string{"1", "2"}}, "[3 4] [1]"},
		{"columns of one name", "a,a,b,y\n1,2,3,0\n", "b,a,a,y\n5,3,4,1\n", Options{}, "[3 4 5] [1]"},
		{"a category elsewhere", "c,a,y\nred,1,0\nblue,1,0\n", "a,c,y\n3,red,1\n", Options{Categories: []string{"c"}}, "[0 1 3] [1]"},
		{"a learned category elsewhere", "c,a,y\nred,1,0\nblue,1,0\n", "a,c,y\n3,red,1\n", Options{Learned: []string{"c=red", "a"}}, "[0 1 3] [1]"},
		{"a filled cell elsewhere", "a,b,y\n1,2,0\n", "b,a,y\n,3,1\n", Options{Missing: "7"}, "[3 7] [1]"},
		{"no names for validation", "a,b,y\n1,2,0\n", "3,4,1\n", Options{}, "[3 4] [1]"},
		{"no names at all", "1,2,0\n", "3,4,1\n", Options{}, "[3 4] [1]"},
		{"names for validation alone", "1,2,0\n", "b,a,y\n3,4,1\n", Options{}, "[3 4] [1]"},
		{"words", "a,y\n1,cat\n1,dog\n", "a,y\n3,dog\n", Options{}, "[3] [1]"},
		{"integers that training lacks", "a,y\n1,0\n", "a,y\n3,5\n", Options{}, "[3] [5]"},
		{"values", "a,y\n1,0\n", "a,y\n3,0.5\n", Options{Y: tensor.Float32}, "[3] [0.5]"},
	} {
		set, err := openTables(c.train, c.val, c.opt)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		x, y := everything(t, set.Val)
		if got := fmt.Sprint(x.Data, y.Data); got != c.want {
			t.Errorf("%s: validation is %s, want %s", c.name, got, c.want)
		}
	}
}

// openTables reads a folder with two tables.
func openTables(train, val string, opt Options) (*Set, error) {
	opt.X = tensor.Float32
	if opt.Y == 0 {
		opt.Y = tensor.Int64
	}
	return Open(files("train.csv", train, "val.csv", val), ".", opt)
}

// TestValidationTableRefused: what the table for training does not have is an error, and no other number of a class.
func TestValidationTableRefused(t *testing.T) {
	for _, c := range []struct {
		train, val string
		opt        Options
		want       string
	}{
		{"a,b,y\n1,2,0\n", "a,c,y\n3,4,1\n", Options{}, `val.csv: there is no feature "b", which train.csv has; there are: a, c`},
		{"a,a,y\n1,2,0\n", "a,b,y\n3,4,1\n", Options{}, `val.csv: there is no feature "a", which train.csv has; there are: a, b`},
		{"a,b,y\n1,2,0\n", "A,b,y\n3,4,1\n", Options{}, `val.csv: there is no feature "a", which train.csv has; there are: A, b`},
		{"a,b,y\n1,2,0\n", "a,y\n3,1\n", Options{}, "val.csv: 1 features, train.csv has 2"},
		{"a,b\n1,2\n", "a,b,c\n1,2,3\n", Options{}, "val.csv: 2 features, train.csv has 1"},
		{"1,2,3,0\n", "3,4,1\n", Options{}, "val.csv: 2 features, train.csv has 3"},
		{"a,y\n1,1\n", "a,y\n1,1\n2,cat\n", Options{}, `val.csv: label "cat": want a whole number, as the labels of train.csv are`},
		{"a,y\n1,1\n2,2\n", "a,y\n1,2.0\n", Options{}, `val.csv: label "2.0": want a whole number, as the labels of train.csv are`},
		{"a,y\n1,cat\n", "a,y\n1,1\n", Options{}, `val.csv: label "1": not among the labels that are trained`},
		{"a,y\n1,1\n", "a,y\n1,cat\n", Options{Y: tensor.Float32}, `val.csv: label "cat": want a finite number: the model learns values, not classes`},
		{"a,y\n1,cat\n", "a,y\n1,cat\n", Options{Y: tensor.Float32}, `train.csv: label "cat": want a finite number: the model learns values, not classes`},
		{"a,y\n1,1\n", "a,y\n", Options{}, ".: no examples for validation"},
		{"a,y\n1,1\n", "a,y\n,1\n", Options{Missing: "drop"}, ".: no examples for validation"},
		{"a,y\n1,1\n", "", Options{}, "val.csv: the file is empty"},
		{"", "a,y\n1,1\n", Options{}, "train.csv: the file is empty"},
		{"a,y\n1,1\n", "a,y\n1\n", Options{}, "val.csv: line 2 has 1 columns, want 2"},
		{"a,y\n1,1\n", "a,b\n1,1\n", Options{Label: "y"}, `val.csv: there is no label column "y"; there are: a, b`},
		{"1,1\n", "1,1\n", Options{Label: "y"}, "train.csv: there is no label column y: there is no header, and columns are 1 to 2"},
		{"1,1\n", "1,1\n", Options{Columns: []string{"3"}}, "train.csv: there is no column 3: there is no header, and columns are 1 to 2"},
		{"c,y\nred,1\n", "c,y\n,1\n", Options{Categories: []string{"c"}}, `val.csv: line 2: column "c" is empty, want a word (--missing drop leaves such lines out)`},
		{"c,y\nred,1\n", "c,y\nred,1\n", Options{Categories: []string{"d"}}, `train.csv: there is no column "d"; there are: c, y`},
		{"a,y\nx\"y,1\n", "a,y\n1,1\n", Options{}, `train.csv: parse error on line 2, column 2: bare " in non-quoted-field`},
	} {
		if _, err := openTables(c.train, c.val, c.opt); err == nil || err.Error() != c.want {
			t.Errorf("%q and %q: got %v\nwant %s", c.train, c.val, err, c.want)
		}
	}
}

// TestValidationNames: the first of the names is the table for validation, and its lines count among those left out.
func TestValidationNames(t *testing.T) {
	order := []string{"val.csv", "valid.csv", "validation.csv", "test.csv"}
	fsys := files("train.csv", "a,y\n1,0\n,1\n")
	for i, name := range order {
		fsys[name] = files(name, fmt.Sprintf("a,y\n%d,0\n,1\nNA,1\n", i))[name]
	}
	for i, name := range order {
		set, err := Open(fsys, ".", Options{X: tensor.Float32, Y: tensor.Int64, Missing: "drop"})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := show(t, set.Val, 0), fmt.Sprintf("1 of float32[1]→int64[]: [%d] [0]", i); got != want || set.LeftOut != 3 {
			t.Errorf("%s: %s, and %d lines left out, want %s and 3", name, got, set.LeftOut, want)
		}
		delete(fsys, name)
	}
	set, err := Open(fsys, ".", Options{X: tensor.Float32, Y: tensor.Int64, Missing: "drop"})
	if err != nil || set.Val != nil || set.LeftOut != 1 {
		t.Errorf("without validation: %+v, %v", set, err)
	}
}

// TestNoValidationExamples: an empty part for validation would have no loss, whatever the format.
func TestNoValidationExamples(t *testing.T) {
	x, y := tensor.New(tensor.Float32, 2, 1), tensor.New(tensor.Int64, 2)
	noX, noY := tensor.New(tensor.Float32, 0, 1), tensor.New(tensor.Int64, 0)
	bytes, none := tensor.New(tensor.Uint8, 2), tensor.New(tensor.Uint8, 0)
	for name, fsys := range map[string]fstest.MapFS{
		"arrays":     files("x.npy", npy(t, x), "y.npy", npy(t, y), "x_val.npy", npy(t, noX), "y_val.npy", npy(t, noY)),
		"an archive": files("a.npz", archive(t, map[string]*tensor.Tensor{"x_train": x, "y_train": y, "x_test": noX, "y_test": noY})),
		"MNIST": files("train-images.idx", idx(t, bytes), "train-labels.idx", idx(t, bytes),
			"val-images.idx", idx(t, none), "val-labels.idx", idx(t, none)),
	} {
		_, err := Open(fsys, ".", Options{X: tensor.Float32, Y: tensor.Int64})
		if err == nil || err.Error() != ".: no examples for validation" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
