package dataset

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// plainTable is a table as its author thinks of it: cells are numbers, words or empty.
type plainTable struct {
	header     []string
	rows       [][]string
	label      int
	categories map[int]bool
}

// drawTable draws a table with up to so many columns and rows. Names and words need quotes.
func drawTable(r *rand.Rand) plainTable {
	width := 2 + r.IntN(5)
	p := plainTable{label: r.IntN(width), categories: map[int]bool{}}
	colors := []string{"red", "light, blue", `"quoted"`, "two\nlines", "grün", "-"}
	for i := range width {
		p.header = append(p.header, fmt.Sprintf("column %d, \"%c\"", i, 'a'+i))
		if i != p.label && r.IntN(3) == 0 {
			p.categories[i] = true
		}
	}
	for range 1 + r.IntN(20) {
		row := make([]string, width)
		for i := range row {
			switch {
			case r.IntN(12) == 0: // empty
			case i == p.label || p.categories[i]:
				row[i] = colors[r.IntN(len(colors))]
			default:
				row[i] = strconv.FormatFloat(float64(float32(r.NormFloat64()*100)), 'g', -1, 32)
			}
		}
		p.rows = append(p.rows, row)
	}
	return p
}

// file is the table as encoding/csv writes it.
func (p *plainTable) file() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(p.header)
	w.WriteAll(p.rows)
	return b.Bytes()
}

// options choose the columns of the table, in that order.
func (p *plainTable) options(columns []int) Options {
	opt := Options{X: tensor.Float32, Y: tensor.Int64, Label: p.header[p.label], Missing: "drop", Columns: []string{}}
	for _, i := range columns {
		opt.Columns = append(opt.Columns, p.header[i])
		if p.categories[i] {
			opt.Categories = append(opt.Categories, p.header[i])
		}
	}
	return opt
}

// kept returns the rows without an empty cell among those that are read.
func (p *plainTable) kept(columns []int) [][]string {
	return slices.DeleteFunc(slices.Clone(p.rows), func(row []string) bool {
		return slices.ContainsFunc(append([]int{p.label}, columns...), func(i int) bool { return row[i] == "" })
	})
}

// wordsOf returns the different words of a column of rows, sorted.
func wordsOf(rows [][]string, column int) []string {
	var all []string
	for _, row := range rows {
		all = append(all, row[column])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// read is the slow way to read the rows: cell by cell.
func (p *plainTable) read(columns []int) (x []float32, y []int64) {
	rows := p.kept(columns)
	for _, row := range rows {
		for _, i := range columns {
			if !p.categories[i] {
				v, _ := strconv.ParseFloat(row[i], 32)
				x = append(x, float32(v))
				continue
			}
			for _, word := range p.seen(columns, i) {
				is := float32(0)
				if row[i] == word {
					is = 1
				}
				x = append(x, is)
			}
		}
		y = append(y, int64(slices.Index(wordsOf(rows, p.label), row[p.label])))
	}
	return x, y
}

// seen returns the words of a category, also those of rows that are left out because of a cell or the label behind it.
func (p *plainTable) seen(columns []int, of int) []string {
	before := columns[:slices.Index(columns, of)+1]
	rows := slices.DeleteFunc(slices.Clone(p.rows), func(row []string) bool {
		return slices.ContainsFunc(before, func(i int) bool { return row[i] == "" })
	})
	return wordsOf(rows, of)
}

// TestTablesAgainstCells reads drawn tables, with columns in any order, and compares them with those read cell by cell.
func TestTablesAgainstCells(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	read := 0
	for range 300 {
		p := drawTable(r)
		var columns []int
		for _, i := range r.Perm(len(p.header)) {
			if i != p.label {
				columns = append(columns, i)
			}
		}
		columns = columns[:1+r.IntN(len(columns))]
		x, y := p.read(columns)
		set, err := Open(files("f.csv", p.file()), "f.csv", p.options(columns))
		if len(y) == 0 {
			want := fmt.Sprintf("f.csv: no examples: all %d lines lack a value, and --missing drop leaves them out", len(p.rows))
			if err == nil || err.Error() != want {
				t.Fatalf("%s: got %v, want %s", p.file(), err, want)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", p.file(), err)
		}
		gotX, gotY := everything(t, set.Train)
		if !slices.Equal(tensor.Data[float32](gotX), x) || !slices.Equal(tensor.Data[int64](gotY), y) {
			t.Fatalf("%s, columns %v: got %v %v\nwant %v %v", p.file(), columns, gotX.Data, gotY.Data, x, y)
		}
		if set.LeftOut != len(p.rows)-len(y) || set.Classes != len(set.Names) || !slices.Equal(set.Names, wordsOf(p.kept(columns), p.label)) {
			t.Fatalf("%s: %d lines left out, classes %q, want %d", p.file(), set.LeftOut, set.Names, len(p.rows)-len(y))
		}
		read++
	}
	if read < 200 {
		t.Errorf("only %d of 300 tables have examples", read)
	}
}

// TestSeparatorsAndEnds: tabs and commas, and the line ends of all systems, make the same table; so do spaces around cells.
func TestSeparatorsAndEnds(t *testing.T) {
	const text = "a,b,y\n1,2,cat\n3,4,dog\n"
	want := ""
	for _, c := range []struct{ name, file string }{
		{"a.csv", text},
		{"a.csv", strings.TrimSuffix(text, "\n")},
		{"a.csv", strings.ReplaceAll(text, "\n", "\r\n")},
		{"a.csv", strings.ReplaceAll(text, "\n", "\n\n")},
		{"a.csv", byteOrderMark + text},
		{"a.CSV", strings.ReplaceAll(text, ",", ", ")},
		{"a.csv", strings.NewReplacer("1,", "1 ,", "4,", "4\t,", "cat", " cat ").Replace(text)},
		{"a.csv", strings.NewReplacer("a,b,y", "a , b\t,\"y \"").Replace(text)},
		{"a.csv", `"a","b","y"` + "\n" + `"1","2","cat"` + "\n" + `"3","4","dog"`},
		{"a.tsv", strings.ReplaceAll(text, ",", "\t")},
		{"a.TSV", byteOrderMark + strings.ReplaceAll(text, ",", "\t")},
		{"a.csv", strings.NewReplacer("1", "+1.0", "2", "2e0", "3", "0x3p0", "4", "00004").Replace(text)},
	} {
		set, err := Open(files(c.name, c.file), c.name, Options{X: tensor.Float32, Y: tensor.Int64})
		if err != nil {
			t.Errorf("%q: %v", c.file, err)
			continue
		}
		got := show(t, set.Train, 0, 1) + fmt.Sprint(set.Names, set.Columns)
		if want == "" {
			want = got
		}
		if got != want || !strings.Contains(got, "[1 2 3 4] [0 1][cat dog] [a b]") {
			t.Errorf("%q: %s, want %s", c.file, got, want)
		}
	}
}

// TestUsualLabels: the column with the first of the usual names is the label, in any case of its letters.
func TestUsualLabels(t *testing.T) {
	for header, want := range map[string]int{
		"y,target,class,label": 3, "y,target,class,a": 2, "y,target,a,b": 1, "y,a,b,c": 0,
		"LABEL,y,Class,b": 0, "a,Y,b,c": 1, "a,b,TARGET,y": 2, "a,b,c,labels": 3, "a,b,c,d": 3,
	} {
		set, err := Open(files("f.csv", header+"\n10,11,12,13\n"), "f.csv", Options{X: tensor.Float32, Y: tensor.Int64})
		if err != nil {
			t.Errorf("%s: %v", header, err)
			continue
		}
		if _, y := everything(t, set.Train); tensor.Data[int64](y)[0] != int64(10+want) {
			t.Errorf("%s: the label is %v, want column %d", header, y.Data, want)
		}
	}
}
