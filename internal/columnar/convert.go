package columnar

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Convert writes what a model learns from tables as arrays into a folder: x.npy and y.npy, x_val.npy and y_val.npy if
// there are tables for validation, and names.json. The tables are one file, or the files of a folder: those whose
// names begin with train, or else all; and, for validation, those whose names begin with val or test.
func Convert(from, to string, opt dataset.Options) error {
	train, val, err := tables(from)
	if err != nil {
		return err
	}
	c := &converter{opt: opt, dir: to}
	if err := c.part(train, "x.npy", "y.npy"); err != nil {
		return err
	}
	if len(val) > 0 {
		if err := c.part(val, "x_val.npy", "y_val.npy"); err != nil {
			return err
		}
	}
	notes := c.choice.Notes
	notes.LeftOut = c.leftOut
	b, err := json.Marshal(dataset.Names{Classes: c.classes, Columns: c.names, Notes: notes})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, dataset.NamesFile), b, 0o666)
}

// Has reports whether data are tables: a file of such a name, or a folder with such files.
func Has(name string) bool {
	if st, err := os.Stat(name); err != nil || !st.IsDir() {
		return Is(name)
	}
	list, _ := os.ReadDir(name)
	return slices.ContainsFunc(list, func(e os.DirEntry) bool { return Is(e.Name()) })
}

// tables returns the files for training and those for validation.
func tables(from string) (train, val []string, err error) {
	st, err := os.Stat(from)
	if err != nil || !st.IsDir() {
		return []string{from}, nil, err
	}
	list, err := os.ReadDir(from)
	if err != nil {
		return nil, nil, err
	}
	groups := map[string][]string{}
	for _, e := range list {
		if !Is(e.Name()) {
			continue
		}
		key := ""
		for _, part := range []string{"train", "val", "test"} {
			if strings.HasPrefix(strings.ToLower(e.Name()), part) {
				key = part
			}
		}
		groups[key] = append(groups[key], filepath.Join(from, e.Name()))
	}
	if train = groups["train"]; train == nil {
		train = groups[""]
	}
	if val = groups["val"]; val == nil {
		val = groups["test"]
	}
	if train == nil {
		return nil, nil, fmt.Errorf("%s: the folder holds no table to learn from: want a file whose name begins with train, and ends with one of %s", from, strings.Join(Extensions, ", "))
	}
	return train, val, nil
}

// converter holds what the part for validation takes from the part for training.
type converter struct {
	opt     dataset.Options
	dir     string
	columns []Column // of the first file
	choice  *dataset.Choice
	reads   []int      // the columns that are read: the features and the label
	words   []wordList // of each category
	shapes  [][]int    // of the cells of each feature
	classes []string
	numbers bool     // the labels to learn from are a column of words that are numbers, and have no classes
	names   []string // nil: unknown
	leftOut int      // lines
}

// wordList numbers the different words of a column.
type wordList struct {
	list  []string
	known map[string]int
}

// maxWords is the maximum number of different words of a column.
const maxWords = 1 << 20

func (w *wordList) number(s string) (int, error) {
	if i, ok := w.known[s]; ok {
		return i, nil
	}
	if len(w.list) >= maxWords {
		return 0, fmt.Errorf("more than %d different words", maxWords)
	}
	if w.known == nil {
		w.known = map[string]int{}
	}
	w.known[strings.Clone(s)] = len(w.list)
	w.list = append(w.list, strings.Clone(s))
	return len(w.list) - 1, nil
}

// sort numbers the words in their order.
func (w *wordList) sort() {
	slices.Sort(w.list)
	for i, s := range w.list {
		w.known[s] = i
	}
}

// part converts the files of one part.
func (c *converter) part(files []string, x, y string) (err error) {
	first := c.columns == nil
	var open []*source
	defer func() {
		for _, s := range open {
			s.file.Close()
		}
	}()
	for _, name := range files {
		s, err := openSource(name)
		if err != nil {
			return err
		}
		open = append(open, s)
		if err := c.adopt(s); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if first && slices.Contains(c.choice.Categories, true) {
		if err := c.findWords(open); err != nil {
			return err
		}
	}
	w, err := c.newWriter(filepath.Join(c.dir, x), filepath.Join(c.dir, y))
	if err != nil {
		return err
	}
	defer w.x.Close()
	for _, s := range open {
		if err := s.read(c.reads, w.lines); err != nil {
			return err
		}
	}
	return w.end(files[0])
}

// source is an open file.
type source struct {
	name string
	file *os.File
	Table
}

func openSource(name string) (*source, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = errors.New("want a file")
	}
	var t Table
	if err == nil {
		t, err = Open(f, st.Size())
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &source{name, f, t}, nil
}

// read reads the chosen columns, and adds the file's name to errors.
func (s *source) read(columns []int, each func(Place, int, []Cells) error) error {
	if err := s.Read(columns, each); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

// adopt chooses the columns of the first file, and checks that others have the same.
func (c *converter) adopt(s *source) error {
	if c.columns != nil {
		if !slices.EqualFunc(c.columns, s.Columns(), func(a, b Column) bool { return a.Name == b.Name && a.Kind == b.Kind && a.List == b.List }) {
			return fmt.Errorf("its columns are %s, those of the first file %s", describe(s.Columns()), describe(c.columns))
		}
		return nil
	}
	columns := s.Columns()
	var header []string
	for _, col := range columns {
		header = append(header, col.Name)
	}
	choice, err := c.opt.Choose(header)
	if err != nil {
		return err
	}
	for i, f := range choice.Features {
		if err := checkFeature(columns[f], choice.Categories[i]); err != nil {
			return err
		}
	}
	if col := columns[choice.Label]; col.Kind == Other {
		return fmt.Errorf("the label, column %q, is %s, want numbers or text (--label names another column; there are: %s)", col.Name, col.Type, describe(columns))
	}
	c.columns, c.choice, c.reads = columns, choice, append(slices.Clone(choice.Features), choice.Label)
	c.words, c.shapes = make([]wordList, len(choice.Features)), make([][]int, len(choice.Features)+1)
	return nil
}

// checkFeature returns an error for a column that cannot be a feature.
func checkFeature(col Column, category bool) error {
	switch {
	case category && col.Kind != Word:
		return fmt.Errorf("column %q has categories, and is %s, want text", col.Name, col.Type)
	case !category && col.Kind == Word:
		return fmt.Errorf("column %q is %s, want numbers (--categories %s makes a feature of each of its words, --columns chooses others)", col.Name, col.Type, col.Name)
	case col.Kind == Other:
		return fmt.Errorf("column %q is %s, want numbers, lists of numbers, or text (--columns chooses others)", col.Name, col.Type)
	}
	return nil
}

// describe lists columns with their types.
func describe(columns []Column) string {
	var out []string
	for i, c := range columns {
		if i == 20 {
			out = append(out, fmt.Sprintf("and %d more", len(columns)-i))
			break
		}
		out = append(out, c.Name+" "+c.Type)
	}
	return strings.Join(out, ", ")
}

// findWords finds the words of the categories, in lines that are not left out.
func (c *converter) findWords(open []*source) error {
	for _, s := range open {
		err := s.read(c.reads, func(at Place, lines int, cells []Cells) error {
			for line := range lines {
				if c.choice.Drop && c.missing(cells, line) >= 0 {
					continue
				}
				for i, category := range c.choice.Categories {
					if !category || cells[i].Words[line] == "" {
						continue
					}
					if _, err := c.words[i].number(cells[i].Words[line]); err != nil {
						return columnError(at.Group, c.columns[c.choice.Features[i]], err)
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for i := range c.words {
		c.words[i].sort()
	}
	return nil
}

// missing returns the first column with a missing cell in a line, or -1.
func (c *converter) missing(cells []Cells, line int) int {
	for i := range cells {
		if c.isMissing(i, &cells[i], line) {
			return i
		}
	}
	return -1
}

// isMissing reports whether the cell of a line is missing in the column that is read as number i, or an element of it.
func (c *converter) isMissing(i int, cells *Cells, line int) bool {
	if c.columns[c.reads[i]].Kind == Word {
		return cells.Words[line] == ""
	}
	n := cells.size()
	return slices.ContainsFunc(cells.Floats[line*n:][:n], func(v float64) bool { return v != v })
}

// dtype returns the type of the elements of the features.
func (c *converter) dtype() tensor.DType {
	kinds := map[Kind]bool{}
	for i, f := range c.choice.Features {
		if kinds[c.columns[f].Kind] = true; c.choice.Categories[i] {
			return tensor.Float32
		}
	}
	switch {
	case kinds[Float] || c.choice.Fill && c.choice.Value != float32(int32(c.choice.Value)):
		return tensor.Float32
	case kinds[Byte] && len(kinds) == 1 && !c.choice.Fill:
		return tensor.Uint8
	}
	return tensor.Int64
}
