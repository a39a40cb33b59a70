package columnar

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

var errFlat = errors.New("the schema is malformed")

// flat is a message of FlatBuffers, in which Arrow writes schemas. Its methods fail for positions outside of it.
type flat struct {
	b      []byte
	fields int // of schemas, so far
}

func (f *flat) uint32(at int) (int, error) {
	if at < 0 || at > len(f.b)-4 {
		return 0, errFlat
	}
	return int(binary.LittleEndian.Uint32(f.b[at:])), nil
}

// field returns the position of a field of a table; 0 if the table does not have it.
func (f *flat) field(table, number int) (int, error) {
	back, err := f.uint32(table)
	if err != nil {
		return 0, err
	}
	v := table - int(int32(back))
	if v < 0 || v > len(f.b)-4 {
		return 0, errFlat
	}
	size, entry := int(binary.LittleEndian.Uint16(f.b[v:])), 4+2*number
	if entry+2 > size {
		return 0, nil
	}
	if v+size > len(f.b) {
		return 0, errFlat
	}
	offset := int(binary.LittleEndian.Uint16(f.b[v+entry:]))
	if offset == 0 {
		return 0, nil
	}
	return table + offset, nil
}

// follow returns the position that a field of a table refers to; 0 if the table does not have it.
func (f *flat) follow(table, number int) (int, error) {
	at, err := f.field(table, number)
	if err != nil || at == 0 {
		return 0, err
	}
	to, err := f.uint32(at)
	return at + to, err
}

// vector returns the position of the first element of a vector, and the number of its elements, which have a size.
func (f *flat) vector(table, number, size int) (at, n int, err error) {
	if at, err = f.follow(table, number); err != nil || at == 0 {
		return 0, 0, err
	}
	if n, err = f.uint32(at); err != nil {
		return 0, 0, err
	}
	if at += 4; n > (len(f.b)-at)/size {
		return 0, 0, fmt.Errorf("the schema has a list of %d elements in %d bytes", n, len(f.b)-at)
	}
	return at, n, nil
}

// schema checks a table that is a schema: the library allocates what its lists claim.
func (f *flat) schema(at int) error {
	if _, _, err := f.vector(at, 2, 4); err != nil { // its metadata
		return err
	}
	return f.list(at, 1, 0)
}

// list checks the fields that a schema or a field has.
func (f *flat) list(table, number, depth int) error {
	at, n, err := f.vector(table, number, 4)
	if err != nil {
		return err
	}
	if f.fields += n; f.fields > maxColumns || depth > maxThriftDepth {
		return fmt.Errorf("the schema has more than %d columns, or is more than %d deep", maxColumns, maxThriftDepth)
	}
	for i := range n {
		to, err := f.uint32(at + 4*i)
		if err != nil {
			return err
		}
		child := at + 4*i + to
		if _, _, err := f.vector(child, 6, 4); err != nil { // its metadata
			return err
		}
		if err := f.list(child, 5, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// root returns the position of the first table.
func (f *flat) root() (int, error) { return f.uint32(0) }

// checkArrowFile checks the footer of an Arrow file, whose tables are the schema and where record batches are.
func checkArrowFile(r io.ReaderAt, size int64) error {
	var end [10]byte
	if size < 20 {
		return fmt.Errorf("the file has %d bytes, want an Arrow file's header and footer", size)
	}
	if _, err := r.ReadAt(end[:], size-10); err != nil && err != io.EOF {
		return err
	}
	if string(end[4:]) != "ARROW1" {
		return fmt.Errorf("the file ends with %q, want \"ARROW1\": it was not written to its end", end[4:])
	}
	f, err := readFlat(r, size-10, int64(binary.LittleEndian.Uint32(end[:4])), true)
	if err != nil {
		return err
	}
	table, err := f.root()
	if err != nil {
		return err
	}
	for _, number := range []int{2, 3} { // where dictionaries and record batches are
		if _, _, err := f.vector(table, number, 24); err != nil {
			return err
		}
	}
	if _, _, err := f.vector(table, 4, 4); err != nil {
		return err
	}
	at, err := f.follow(table, 1)
	if err != nil || at == 0 {
		return errors.Join(errFlat, err)
	}
	return f.schema(at)
}

// checkArrowStream checks the first message of a stream, which is the schema.
func checkArrowStream(r io.ReaderAt, size int64) error {
	var head [8]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return err
	}
	f, err := readFlat(r, 8, int64(binary.LittleEndian.Uint32(head[4:])), false)
	if err != nil {
		return err
	}
	table, err := f.root()
	if err != nil {
		return err
	}
	at, err := f.follow(table, 2)
	if err != nil || at == 0 {
		return errors.Join(errFlat, err)
	}
	return f.schema(at)
}

// readFlat reads a message of n bytes, which begins or ends at a position.
func readFlat(r io.ReaderAt, at, n int64, ends bool) (*flat, error) {
	if ends {
		at -= n
	}
	if at < 0 || n < 4 || n > maxFooter {
		return nil, fmt.Errorf("a schema of %d bytes, want at most %d", n, maxFooter)
	}
	b, err := io.ReadAll(io.NewSectionReader(r, at, n)) // which grows with what is there
	if err == nil && int64(len(b)) != n {
		err = io.ErrUnexpectedEOF
	}
	return &flat{b: b}, err
}
