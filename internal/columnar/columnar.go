// Package columnar reads tables from Parquet and Arrow files, some lines at a time, and writes what a model learns
// from them as numpy's arrays, which trainers read. A trainer links neither of the two libraries.
package columnar

import (
	"fmt"
	"io"
	"path"
	"strings"
)

// Kind is what the cells of a column hold.
type Kind int

const (
	Other   Kind = iota // values that a model cannot learn from, such as times
	Float               // numbers, or lists of numbers of the same shape in each line
	Integer             // the same, without fractions
	Byte                // lists of bytes, such as the pixels of an image
	Word                // text
)

// Column is a column of a table.
type Column struct {
	Name string
	Type string // as the file has it, for messages
	Kind Kind
	List bool // a cell is a list
}

// Cells are the cells of a column in some lines.
type Cells struct {
	Shape  []int     // of a cell; nil for one number, and for words
	Floats []float64 // the elements of all cells; NaN is missing
	Words  []string  // of a column of words; "" is missing
}

// size returns the number of elements of a cell.
func (c *Cells) size() int {
	n := 1
	for _, d := range c.Shape {
		n *= d
	}
	return n
}

// Table is an open file.
type Table interface {
	// Columns returns all columns.
	Columns() []Column

	// Read calls each for some consecutive lines after the other, with the cells of the chosen columns. It keeps
	// only these lines in memory, and what the file's format needs to decode them. Cells are valid until each
	// returns. The first line that each gets is line first of group.
	Read(columns []int, each func(at Place, lines int, cells []Cells) error) error
}

// Place names lines of a file.
type Place struct {
	Group string // the part of the file that the lines are in, such as "row group 3"
	First int    // the number of the first line in the group, from 0
}

// Extensions are the endings of the names of the files that [Open] reads.
var Extensions = []string{".parquet", ".arrow", ".arrows", ".feather"}

// Is reports whether a file's name ends as those of tables do.
func Is(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	for _, e := range Extensions {
		if e == ext {
			return true
		}
	}
	return false
}

// Limits on what is read from a file.
const (
	maxColumns = 1 << 16
	maxDims    = 4       // of the shape of a cell
	maxCell    = 1 << 24 // elements of a cell
	maxRead    = 1 << 22 // elements of a column that are read at once
	maxLines   = 4096    // lines that are read at once
)

// Open opens a table. The content tells which format it has.
func Open(r io.ReaderAt, size int64) (t Table, err error) {
	defer catch(&err)
	var head [8]byte
	n, err := r.ReadAt(head[:min(size, 8)], 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch b := head[:n]; {
	case strings.HasPrefix(string(b), "PAR1"):
		return openParquet(r, size)
	case strings.HasPrefix(string(b), "ARROW1"):
		return openArrowFile(r, size)
	case strings.HasPrefix(string(b), "\xff\xff\xff\xff"):
		return openArrowStream(r, size)
	case strings.HasPrefix(string(b), "FEA1"):
		return nil, fmt.Errorf("the file is Feather of version 1, want version 2 (pyarrow.feather.write_feather writes it), Arrow or Parquet")
	case strings.HasPrefix(string(b), "PARE"):
		return nil, fmt.Errorf("the file is encrypted Parquet, want one that is not")
	}
	return nil, fmt.Errorf("the file begins with %q, want a Parquet file, or an Arrow file or stream", head[:n])
}

// catch turns a panic of a library, which malformed files may cause, into an error.
func catch(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the file is malformed: %v", r)
	}
}

// checkShape checks the shape of a cell.
func checkShape(shape []int) error {
	if len(shape) > maxDims {
		return fmt.Errorf("lists in lists %d deep, want at most %d", len(shape), maxDims)
	}
	n := 1
	for _, d := range shape {
		if d > maxCell/n {
			return fmt.Errorf("a cell of shape %v, want at most %d elements", shape, maxCell)
		}
		n *= max(d, 1)
	}
	return nil
}

// linesAtOnce returns how many lines of cells of some size are read at once.
func linesAtOnce(size int) int { return max(1, min(maxLines, maxRead/max(size, 1))) }
