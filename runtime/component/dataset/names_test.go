package dataset

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestNames shows that a folder of arrays may name classes and columns, and which names are refused.
func TestNames(t *testing.T) {
	x, y := npy(t, tensor.Of([]float32{1, 2, 3, 4}, 2, 2)), npy(t, tensor.Of([]int64{1, 0}, 2))
	open := func(names string, as tensor.DType) (*Set, error) {
		return Open(files("x.npy", x, "y.npy", y, NamesFile, names), ".", Options{X: tensor.Float32, Y: as})
	}
	set, err := open(`{"classes":["cat","dog"],"columns":["a","b"]}`, tensor.Int64)
	if err != nil || fmt.Sprint(set.Names, set.Classes, set.Columns) != "[cat dog] 2 [a b]" {
		t.Errorf("%+v: %v", set, err)
	}
	for _, tt := range []struct {
		names, want string
		as          tensor.DType
	}{
		{`{"classes":["cat","dog"]}`, `label "cat": want a finite number`, tensor.Float32},
		{`{"columns":["a"]}`, "names.json: names of 1 columns", tensor.Int64},
		{`[`, "names.json: ", tensor.Int64},
	} {
		if _, err := open(tt.names, tt.as); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.names, err, tt.want)
		}
	}
	if _, err := Open(files("a.parquet", "PAR1"), "a.parquet", Options{X: tensor.Float32, Y: tensor.Int64}); err == nil || !strings.Contains(err.Error(), "a trainer does not read .parquet files") {
		t.Errorf("a table that a trainer cannot read: %v", err)
	}
}

// TestLabelColumn shows with which name a label's column is found again: with none if that is not needed.
func TestLabelColumn(t *testing.T) {
	for _, c := range []struct{ table, label, want string }{
		{"kind,a,b\n1,2,3\n", "kind", "kind"},
		{"kind,a,b\n1,2,3\n", "1", "kind"},
		{"kind,a,kind\n1,2,3\n", "3", "3"},
		{"kind,a,b\n1,2,3\n", "", "b"},
		{"a,class,b\n1,2,3\n", "", ""},
		{"1,2,3\n", "", ""},
		{"1,2,3\n", "2", "2"},
	} {
		set, err := Open(files("x.csv", c.table), "x.csv", Options{X: tensor.Float32, Y: tensor.Int64, Label: c.label})
		if err != nil || set.LabelColumn != c.want {
			t.Errorf("%q with --label %q: got %+v, %v, want the column %q", c.table, c.label, set, err, c.want)
		}
	}
}

// TestChoose shows that the columns of a table are chosen as those of a CSV file, and its labels read as words.
func TestChoose(t *testing.T) {
	opt := &Options{Columns: []string{"b", "a"}, Categories: []string{"a"}, Missing: "7"}
	c, err := opt.Choose([]string{"a", "label", "b", "c"})
	if err != nil || fmt.Sprint(*c) != "{1 [2 0] [false true] false true 7 {0  }}" {
		t.Errorf("%+v: %v", c, err)
	}
	if c, err := new(Options).Choose([]string{"a", "b"}); err != nil || c.Notes.LastLabel != "b" {
		t.Errorf("a table without a usual name for the label: %+v: %v", c, err)
	}
	if _, err := opt.Choose([]string{"a"}); err == nil {
		t.Error("a table of one column is accepted")
	}
	for _, tt := range []struct{ list, want string }{
		{"dog,cat", "int64[3] [1 0 1] [cat dog]"}, {"3,5", "int64[3] [3 5 3] []"}, {"1.5,2", "float32[3] [1.5 2 1.5] []"},
	} {
		y, names, err := Labels("t", strings.Split(tt.list, ","), []int{0, 1, 0}, nil)
		if err != nil || fmt.Sprintf("%v%v %v %v", y.DType, y.Shape, y.Data, names) != tt.want {
			t.Errorf("%s: %v %v %v: %v, want %s", tt.list, y.Shape, y.Data, names, err, tt.want)
		}
	}
	if _, _, err := Labels("t", []string{"dog"}, []int{0}, []string{"cat"}); err == nil || !strings.Contains(err.Error(), `t: label "dog"`) {
		t.Errorf("a label that was not trained: %v", err)
	}
}
