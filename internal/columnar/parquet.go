package columnar

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// maxFooter is the maximum size of the metadata at the end of a Parquet file.
const maxFooter = 64 << 20

// parquetTable is a Parquet file.
type parquetTable struct {
	r       io.ReaderAt
	size    int64
	f       *parquet.File
	columns []parquetColumn
}

// parquetColumn is a column and where its values are.
type parquetColumn struct {
	Column
	leaf  *parquet.Column
	known bool // the shape of cells is known: that of the first list
	shape []int
}

func openParquet(r io.ReaderAt, size int64) (*parquetTable, error) {
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	t := &parquetTable{r: r, size: size, f: f}
	for _, c := range f.Root().Columns() {
		t.columns = append(t.columns, newParquetColumn(c))
	}
	if len(t.columns) > maxColumns {
		return nil, fmt.Errorf("%d columns, want at most %d", len(t.columns), maxColumns)
	}
	return t, nil
}

// checkFooter checks the metadata before the library allocates what they claim.
func checkFooter(r io.ReaderAt, size int64) error {
	if size < 12 {
		return fmt.Errorf("the file has %d bytes, want a Parquet file's header and footer", size)
	}
	var end [8]byte
	if _, err := r.ReadAt(end[:], size-8); err != nil && err != io.EOF {
		return err
	}
	if string(end[4:]) != "PAR1" {
		return fmt.Errorf("the file ends with %q, want \"PAR1\": it was not written to its end, or is encrypted", end[4:])
	}
	n := int64(binary.LittleEndian.Uint32(end[:4]))
	if n > size-12 || n > maxFooter {
		return fmt.Errorf("the footer has %d bytes, want at most %d", n, min(size-12, maxFooter))
	}
	footer := make([]byte, n)
	if _, err := r.ReadAt(footer, size-8-n); err != nil && err != io.EOF {
		return err
	}
	if _, err := thriftLen(footer); err != nil {
		return fmt.Errorf("footer: %w", err)
	}
	var meta format.FileMetaData
	if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReaderFromBytes(footer)).Decode(&meta); err != nil {
		return fmt.Errorf("footer: %w", err)
	}
	return checkSchema(meta.Schema)
}

// checkSchema checks that the tree of columns, which is in the order of a walk, is one, and not deep.
func checkSchema(list []format.SchemaElement) error {
	at := 0
	var walk func(depth int) error
	walk = func(depth int) error {
		if at >= len(list) || depth > maxThriftDepth {
			return errors.New("the schema is no tree of columns, or too deep")
		}
		children := list[at].NumChildren.V
		at++
		for range children {
			if err := walk(depth + 1); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(0); err != nil {
		return err
	}
	if at != len(list) || len(list) < 2 {
		return errors.New("the schema is no tree of columns")
	}
	return nil
}

// newParquetColumn finds the values of a column: those of a list are some levels below.
func newParquetColumn(c *parquet.Column) parquetColumn {
	p := parquetColumn{Column: Column{Name: c.Name()}, leaf: c}
	deep := 0
	for !p.leaf.Leaf() {
		if len(p.leaf.Columns()) != 1 {
			p.Type = "a struct or a map"
			return p
		}
		p.leaf = p.leaf.Columns()[0]
		deep++
	}
	p.List = p.leaf.MaxRepetitionLevel() > 0
	if deep > 0 && !p.List {
		p.Type = "a struct"
		return p
	}
	p.Kind, p.Type = parquetKind(p.leaf.Type(), p.List)
	for range p.leaf.MaxRepetitionLevel() {
		p.Type = "list<" + p.Type + ">"
	}
	if p.Kind == Word && p.List {
		p.Kind = Other
	}
	return p
}

// parquetKind returns the kind of a type, and its name.
func parquetKind(t parquet.Type, list bool) (Kind, string) {
	name := t.String()
	var logical format.LogicalTypeValue
	if l := t.LogicalType(); l != nil {
		logical = l.Value
	}
	switch l := logical.(type) {
	case nil:
	case *format.IntType:
		if list && l.BitWidth == 8 && !l.IsSigned {
			return Byte, name
		}
		return Integer, name
	case *format.StringType, *format.EnumType:
		return Word, name
	default:
		return Other, name
	}
	if c := t.ConvertedType(); c != nil && *c != deprecated.UTF8 && *c != deprecated.Enum {
		return Other, name
	} else if c != nil {
		return Word, name
	}
	switch t.Kind() {
	case parquet.Boolean, parquet.Int32, parquet.Int64:
		return Integer, name
	case parquet.Float, parquet.Double:
		return Float, name
	}
	return Other, name
}

func (t *parquetTable) Columns() []Column {
	out := make([]Column, len(t.columns))
	for i, c := range t.columns {
		out[i] = c.Column
	}
	return out
}

func (t *parquetTable) Read(columns []int, each func(Place, int, []Cells) error) error {
	for i, g := range t.f.RowGroups() {
		if err := t.readGroup(i, g, columns, each); err != nil {
			return err
		}
	}
	return nil
}

func (t *parquetTable) readGroup(number int, g parquet.RowGroup, columns []int, each func(Place, int, []Cells) error) (err error) {
	if g.NumRows() <= 0 {
		return nil // Arrow's writer gives a table without lines a group whose pages are nowhere
	}
	at := Place{Group: fmt.Sprintf("row group %d", number)}
	readers := make([]*parquetReader, len(columns))
	for i, c := range columns {
		col := &t.columns[c]
		if readers[i], err = t.openChunk(number, g, col); err != nil {
			return columnError(at.Group, col.Column, err)
		}
		defer readers[i].close()
	}
	cells := make([]Cells, len(columns))
	for left := g.NumRows(); left > 0; {
		n := int(min(left, int64(maxLines)))
		for _, r := range readers {
			n = min(n, r.column.linesAtOnce())
		}
		for i, r := range readers {
			if err := r.read(n); err != nil {
				return columnError(at.Group, r.column.Column, fmt.Errorf("%w (lines %d to %d of the group)", err, at.First, at.First+n-1))
			}
			cells[i] = r.cells
		}
		if err := each(at, n, cells); err != nil {
			return err
		}
		at.First += n
		left -= int64(n)
	}
	return nil
}

// columnError is an error with the place of a column.
func columnError(group string, c Column, err error) error {
	return fmt.Errorf("%s: column %q (%s): %w", group, c.Name, c.Type, err)
}

// linesAtOnce returns how many lines to read at once: one, as long as the size of lists is unknown.
func (c *parquetColumn) linesAtOnce() int {
	if c.List && !c.known {
		return 1
	}
	return linesAtOnce((&Cells{Shape: c.shape}).size())
}

// openChunk opens the values of a column in a row group, after it has checked them.
func (t *parquetTable) openChunk(number int, g parquet.RowGroup, c *parquetColumn) (r *parquetReader, err error) {
	defer catch(&err)
	groups := t.f.Metadata().RowGroups
	i := c.leaf.Index()
	if number >= len(groups) || i >= len(groups[number].Columns) {
		return nil, errors.New("the footer does not say where its values are")
	}
	check := &chunkCheck{leaf: c.leaf, meta: &groups[number].Columns[i].MetaData}
	if err := check.run(t.r, t.size); err != nil {
		return nil, err
	}
	return &parquetReader{column: c, pages: g.ColumnChunks()[i].Pages()}, nil
}

// parquetReader reads the values of a column in a row group.
type parquetReader struct {
	column *parquetColumn
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader // of the page; nil: there is none
	buf    [512]parquet.Value
	now    []parquet.Value // the rest of buf
	ended  bool
	cells  Cells
}

func (r *parquetReader) close() {
	if r.page != nil {
		parquet.Release(r.page)
	}
	r.pages.Close()
}

// peek returns the next value, or nil at the end.
func (r *parquetReader) peek() (*parquet.Value, error) {
	for len(r.now) == 0 && !r.ended {
		if r.values == nil {
			p, err := r.pages.ReadPage()
			if err == io.EOF {
				r.ended = true
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			if r.page != nil {
				parquet.Release(r.page)
			}
			r.page, r.values = p, p.Values()
		}
		n, err := r.values.ReadValues(r.buf[:])
		if err != nil && err != io.EOF {
			return nil, err
		}
		if r.now = r.buf[:n]; err == io.EOF || n == 0 {
			r.values = nil
		}
	}
	if len(r.now) == 0 {
		return nil, nil
	}
	return &r.now[0], nil
}

// read reads the cells of n lines.
func (r *parquetReader) read(n int) (err error) {
	defer catch(&err)
	r.cells.Floats, r.cells.Words = r.cells.Floats[:0], r.cells.Words[:0]
	for range n {
		v, err := r.peek()
		if err != nil {
			return err
		}
		if v == nil {
			return io.ErrUnexpectedEOF
		}
		switch {
		case r.column.Kind == Word:
			r.cells.Words = append(r.cells.Words, string(v.ByteArray()))
			r.now = r.now[1:]
		case !r.column.List:
			r.cells.Floats = append(r.cells.Floats, r.number(v))
			r.now = r.now[1:]
		default:
			if err := r.list(); err != nil {
				return err
			}
		}
	}
	r.cells.Shape = r.column.shape
	return nil
}

// list reads a list, of the shape of the first one. A list that is missing or empty becomes elements that are
// missing: one, as long as the shape is unknown.
func (r *parquetReader) list() error {
	c := r.column
	start := len(r.cells.Floats)
	var levels []int
	empty := true
	for {
		v, err := r.peek()
		if err != nil {
			return err
		}
		if v == nil || len(levels) > 0 && v.RepetitionLevel() == 0 {
			break
		}
		if len(levels) >= maxCell {
			return fmt.Errorf("a list of more than %d elements", maxCell)
		}
		empty = empty && v.IsNull()
		levels = append(levels, v.RepetitionLevel())
		r.cells.Floats = append(r.cells.Floats, r.number(v))
		r.now = r.now[1:]
	}
	if len(levels) == 1 && empty { // no list, one without elements, or with a missing one
		r.cells.Floats = appendMissing(r.cells.Floats[:start], (&Cells{Shape: c.shape}).size())
		return nil
	}
	if !c.known {
		shape := shapeOf(levels, c.leaf.MaxRepetitionLevel())
		if err := checkShape(shape); err != nil {
			return err
		}
		c.known, c.shape = true, shape
	}
	if !fitsShape(levels, c.shape) {
		return fmt.Errorf("a list of %d elements, which is not of the shape %v of the first: want the same shape in each line", len(levels), c.shape)
	}
	return nil
}

// appendMissing appends n missing elements.
func appendMissing(to []float64, n int) []float64 {
	for range n {
		to = append(to, math.NaN())
	}
	return to
}

// shapeOf returns the shape of the first lists at each depth, from the depths at which elements begin new lists.
func shapeOf(levels []int, depth int) []int {
	shape := make([]int, depth)
	for d := range depth {
		n, size := 1, 1
		for _, s := range shape[depth-d:] {
			size *= s
		}
		for i := size; i < len(levels) && levels[i] >= depth-d; i += size {
			n++
		}
		shape[depth-d-1] = n
	}
	return shape
}

// fitsShape reports whether lists have a shape.
func fitsShape(levels []int, shape []int) bool {
	n := 1
	for _, d := range shape {
		n *= d
	}
	if len(levels) != n {
		return false
	}
	for i := 1; i < n; i++ {
		level, size := len(shape), 1
		for d := len(shape) - 1; d > 0; d-- {
			if size *= shape[d]; i%size != 0 {
				break
			}
			level--
		}
		if levels[i] != level {
			return false
		}
	}
	return true
}

// number returns a value as a number; NaN if it is missing.
func (r *parquetReader) number(v *parquet.Value) float64 {
	if v.IsNull() {
		return math.NaN()
	}
	t := r.column.leaf.Type()
	unsigned := false
	if l := t.LogicalType(); l != nil {
		i, ok := l.Value.(*format.IntType)
		unsigned = ok && !i.IsSigned
	}
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			return 1
		}
		return 0
	case parquet.Int32:
		if unsigned {
			return float64(v.Uint32())
		}
		return float64(v.Int32())
	case parquet.Int64:
		if unsigned {
			return float64(v.Uint64())
		}
		return float64(v.Int64())
	case parquet.Float:
		return float64(v.Float())
	case parquet.Double:
		return v.Double()
	}
	panic(fmt.Sprintf("numbers as %v", v.Kind()))
}
