package columnar

import (
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// maxBatch is the maximum size of a record batch, and of what is decompressed at once.
const maxBatch = 1 << 30

// arrowTable is an Arrow file or stream.
type arrowTable struct {
	schema  *arrow.Schema
	columns []Column
	open    func() (batches, error) // at the first batch
	most    int64                   // lines that a file of this size may have
}

// batches gives one record batch after the other, and io.EOF after the last.
type batches interface {
	Read() (arrow.RecordBatch, error)
}

// arrowOptions returns the limits on what the library allocates for a file of some size.
func arrowOptions(size int64) []ipc.Option {
	return []ipc.Option{ipc.WithBodySizeLimit(min(maxBatch, size)), ipc.WithMetadataSizeLimit(min(maxFooter, size)), ipc.WithAllocator(newLimited(size))}
}

func openArrowFile(r io.ReaderAt, size int64) (*arrowTable, error) {
	if err := checkArrowFile(r, size); err != nil {
		return nil, err
	}
	f, err := ipc.NewFileReader(io.NewSectionReader(r, 0, size), arrowOptions(size)...)
	if err != nil {
		return nil, err
	}
	return newArrowTable(f.Schema(), size, func() (batches, error) {
		return ipc.NewFileReader(io.NewSectionReader(r, 0, size), arrowOptions(size)...)
	})
}

func openArrowStream(r io.ReaderAt, size int64) (*arrowTable, error) {
	if err := checkArrowStream(r, size); err != nil {
		return nil, err
	}
	s, err := newStreamReader(r, size)
	if err != nil {
		return nil, err
	}
	defer s.Release()
	return newArrowTable(s.Schema(), size, func() (batches, error) { return newStreamReader(r, size) })
}

// newStreamReader returns a reader of a stream. [ipc.NewReader] would ignore the limits on messages, and allocate what
// they claim.
func newStreamReader(r io.ReaderAt, size int64) (*ipc.Reader, error) {
	options := arrowOptions(size)
	return ipc.NewReaderFromMessageReader(ipc.NewMessageReader(io.NewSectionReader(r, 0, size), options...), options...)
}

func newArrowTable(s *arrow.Schema, size int64, open func() (batches, error)) (*arrowTable, error) {
	t := &arrowTable{schema: s, open: open, most: maxLinesOf(size)}
	if s.NumFields() > maxColumns {
		return nil, fmt.Errorf("%d columns, want at most %d", s.NumFields(), maxColumns)
	}
	for _, f := range s.Fields() {
		c := Column{Name: f.Name, Type: f.Type.String()}
		elem := f.Type
		for depth := 0; depth <= maxDims; depth++ {
			l, ok := elem.(arrow.ListLikeType)
			if !ok || elem.ID() == arrow.MAP {
				break
			}
			c.List, elem = true, l.Elem()
		}
		c.Kind = arrowKind(elem, c.List)
		t.columns = append(t.columns, c)
	}
	return t, nil
}

// arrowKind returns the kind of a type.
func arrowKind(t arrow.DataType, list bool) Kind {
	if d, ok := t.(*arrow.DictionaryType); ok {
		t = d.ValueType
	}
	switch t.ID() {
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		return Float
	case arrow.UINT8:
		if list {
			return Byte
		}
		return Integer
	case arrow.BOOL, arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		return Integer
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		if !list {
			return Word
		}
	}
	return Other
}

func (t *arrowTable) Columns() []Column { return t.columns }

func (t *arrowTable) Read(columns []int, each func(Place, int, []Cells) error) error {
	b, err := t.begin()
	if err != nil {
		return err
	}
	if c, ok := b.(interface{ Release() }); ok {
		defer c.Release()
	}
	shapes := make([][]int, len(columns))
	left := t.most
	for number := 0; ; number++ {
		at := Place{Group: fmt.Sprintf("record batch %d", number)}
		rec, err := nextBatch(b)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", at.Group, err)
		}
		if left -= rec.NumRows(); left < 0 {
			err = fmt.Errorf("%s: %d lines, want at most %d in a file of this size", at.Group, rec.NumRows(), t.most)
		} else {
			err = t.readBatch(at, rec, columns, shapes, each)
		}
		rec.Release()
		if err != nil {
			return err
		}
	}
}

func (t *arrowTable) begin() (b batches, err error) {
	defer catch(&err)
	return t.open()
}

func nextBatch(b batches) (rec arrow.RecordBatch, err error) {
	defer catch(&err)
	if rec, err = b.Read(); err == nil {
		rec.Retain()
	}
	return rec, err
}

// readBatch gives the lines of a record batch. The shapes are those of the columns' first lists, nil before.
func (t *arrowTable) readBatch(at Place, rec arrow.RecordBatch, columns []int, shapes [][]int, each func(Place, int, []Cells) error) error {
	cells := make([]Cells, len(columns))
	for at.First < int(rec.NumRows()) {
		n := min(maxLines, int(rec.NumRows())-at.First)
		for i, c := range columns {
			if t.columns[c].List && shapes[i] == nil {
				n = 1
			}
			n = min(n, linesAtOnce((&Cells{Shape: shapes[i]}).size()))
		}
		for i, c := range columns {
			r := arrowReader{cells: &cells[i], shape: shapes[i]}
			if err := r.read(rec.Column(c), at.First, n, t.columns[c]); err != nil {
				return columnError(at.Group, t.columns[c], err)
			}
			shapes[i] = r.shape
		}
		if err := each(at, n, cells); err != nil {
			return err
		}
		at.First += n
	}
	return nil
}

// arrowReader reads cells of one column.
type arrowReader struct {
	cells *Cells
	shape []int // of the first list; nil: unknown
}

// read reads the cells of n lines from line first on.
func (r *arrowReader) read(a arrow.Array, first, n int, c Column) (err error) {
	defer catch(&err)
	r.cells.Floats, r.cells.Words = r.cells.Floats[:0], r.cells.Words[:0]
	for line := first; line < first+n; line++ {
		switch {
		case c.Kind == Word:
			r.cells.Words = append(r.cells.Words, arrowWord(a, line))
		case !c.List:
			r.cells.Floats = append(r.cells.Floats, arrowNumber(a, line))
		default:
			if err := r.list(a, line); err != nil {
				return fmt.Errorf("line %d: %w", line, err)
			}
		}
	}
	r.cells.Shape = r.shape
	return nil
}

// list reads the list of a line, of the shape of the first one. A list that is missing or empty becomes elements that
// are missing: one, as long as the shape is unknown.
func (r *arrowReader) list(a arrow.Array, line int) error {
	if shape := arrowShape(a, line); r.shape == nil && shape != nil {
		if err := checkShape(shape); err != nil {
			return err
		}
		r.shape = shape
	}
	start := len(r.cells.Floats)
	want := (&Cells{Shape: r.shape}).size()
	if err := r.elements(a, line, r.shape, start+want); err != nil {
		return err
	}
	if len(r.cells.Floats) == start {
		r.cells.Floats = appendMissing(r.cells.Floats, want)
	}
	if n := len(r.cells.Floats) - start; n != want {
		return fmt.Errorf("a list of %d elements, want the shape %v of the first in each line", n, r.shape)
	}
	return nil
}

// elements appends the elements of a list whose shape is given, and fails beyond a number of them.
func (r *arrowReader) elements(a arrow.Array, i int, shape []int, most int) error {
	l, ok := a.(array.ListLike)
	if !ok {
		r.cells.Floats = append(r.cells.Floats, arrowNumber(a, i))
		return nil
	}
	if a.IsNull(i) {
		return nil
	}
	from, to := l.ValueOffsets(i)
	if from == to {
		return nil
	}
	if len(shape) == 0 || to-from != int64(shape[0]) || len(r.cells.Floats)+int(to-from) > most {
		return fmt.Errorf("a list of %d elements, want the shape %v of the first in each line", to-from, r.shape)
	}
	for k := from; k < to; k++ {
		if err := r.elements(l.ListValues(), int(k), shape[1:], most); err != nil {
			return err
		}
	}
	return nil
}

// arrowShape returns the shape of a list, by the first lists in it; nil if it is missing or empty.
func arrowShape(a arrow.Array, i int) []int {
	shape := []int{}
	for {
		l, ok := a.(array.ListLike)
		if !ok {
			return shape
		}
		if a.IsNull(i) {
			return nil
		}
		from, to := l.ValueOffsets(i)
		if to <= from || to-from > maxCell {
			return nil
		}
		shape = append(shape, int(to-from))
		a, i = l.ListValues(), int(from)
	}
}

// arrowWord returns a text; "" if it is missing.
func arrowWord(a arrow.Array, i int) string {
	if a.IsNull(i) {
		return ""
	}
	switch a := a.(type) {
	case *array.Dictionary:
		return arrowWord(a.Dictionary(), a.GetValueIndex(i))
	case *array.String:
		return a.Value(i)
	case *array.LargeString:
		return a.Value(i)
	case *array.StringView:
		return a.Value(i)
	}
	panic(fmt.Sprintf("text as %T", a))
}

// arrowNumber returns a number; NaN if it is missing.
func arrowNumber(a arrow.Array, i int) float64 {
	if a.IsNull(i) {
		return math.NaN()
	}
	switch a := a.(type) {
	case *array.Dictionary:
		return arrowNumber(a.Dictionary(), a.GetValueIndex(i))
	case *array.Boolean:
		if a.Value(i) {
			return 1
		}
		return 0
	case *array.Int8:
		return float64(a.Value(i))
	case *array.Int16:
		return float64(a.Value(i))
	case *array.Int32:
		return float64(a.Value(i))
	case *array.Int64:
		return float64(a.Value(i))
	case *array.Uint8:
		return float64(a.Value(i))
	case *array.Uint16:
		return float64(a.Value(i))
	case *array.Uint32:
		return float64(a.Value(i))
	case *array.Uint64:
		return float64(a.Value(i))
	case *array.Float16:
		return float64(a.Value(i).Float32())
	case *array.Float32:
		return float64(a.Value(i))
	case *array.Float64:
		return a.Value(i)
	}
	panic(fmt.Sprintf("numbers as %T", a))
}
