package columnar

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/parquet-go/parquet-go"
)

// readAll reads all columns of a file that can be learned from.
func readAll(file []byte) error {
	t, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return err
	}
	var columns []int
	for i, c := range t.Columns() {
		if c.Kind != Other {
			columns = append(columns, i)
		}
	}
	return t.Read(columns, func(_ Place, lines int, cells []Cells) error {
		for i, c := range columns {
			if t.Columns()[c].Kind == Word && len(cells[i].Words) != lines || t.Columns()[c].Kind != Word && len(cells[i].Floats) != lines*cells[i].size() {
				panic("BUG: cells are not those of the lines")
			}
		}
		return nil
	})
}

// FuzzOpen shows that no file makes the readers panic, or allocate much more than it has.
func FuzzOpen(f *testing.F) {
	for _, file := range formats(f, flowers(20), 7) {
		f.Add(file)
	}
	f.Add([]byte("PAR1"))
	f.Fuzz(func(t *testing.T, file []byte) { readAll(file) })
}

// TestDamaged shows that a file with a changed byte gives an error or values, and never a panic.
func TestDamaged(t *testing.T) {
	for name, file := range map[string][]byte{
		"parquet": parquetFile(t, flowers(20), 7, parquet.Compression(&parquet.Zstd)), "version1": parquetFile(t, flowers(20), 7, parquet.DataPageVersion(1)),
		"arrow": arrowFile(t, flowers(20), 7, false), "stream": arrowFile(t, flowers(20), 7, true),
	} {
		refused := 0
		for i := 0; i < len(file); i += 5 {
			b := bytes.Clone(file)
			b[i] ^= []byte{1, 0x80, 0xff}[i%3]
			if readAll(b) != nil {
				refused++
			}
			if i%50 == 0 && readAll(file[:i]) == nil && name != "stream" {
				t.Errorf("%s: the first %d of %d bytes are accepted", name, i, len(file))
			}
		}
		if refused == 0 {
			t.Errorf("%s: no damage is noticed", name)
		}
	}
}

// TestClaims shows that metadata that claim more than there is are refused before anything is allocated.
func TestClaims(t *testing.T) {
	for name, b := range map[string][]byte{
		"a list":        {0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07},
		"a string":      {0x18, 0xff, 0xff, 0xff, 0xff, 0x07, 'a'},
		"deep structs":  bytes.Repeat([]byte{0x1c}, 1000),
		"no end":        {0x15, 0x02},
		"unknown types": {0x1e, 0, 0},
	} {
		if n, err := thriftLen(b); err == nil {
			t.Errorf("%s: %d of %d bytes are accepted", name, n, len(b))
		}
	}
	if err := checkRuns([]byte{0xfe, 0xff, 0xff, 0x0f, 1}, 100, 1); err == nil {
		t.Error("a long run in a short page is accepted")
	}
	if err := checkDelta([]byte{0x80, 1, 4, 0xff, 0xff, 0xff, 0x07, 0}, 100); err == nil {
		t.Error("many differences in a short page are accepted")
	}
	bomb := bytes.Repeat([]byte{0}, 1<<24)
	packed, err := (&parquet.Zstd).Encode(nil, bomb)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unpack(6, packed, 1000); err == nil {
		t.Errorf("%d bytes that become %d are accepted for 1000", len(packed), len(bomb))
	}
}

// TestClaimsOfStream shows that the metadata of a stream's message, which claim a gigabyte, allocate nothing like it.
func TestClaimsOfStream(t *testing.T) {
	stream := arrowFile(t, flowers(20), 7, true)
	schema := stream[:8+binary.LittleEndian.Uint32(stream[4:])]
	file := append(bytes.Clone(schema), 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0x40)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := readAll(file)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; err == nil || n > 64<<20 {
		t.Errorf("a stream of %d bytes allocates %d: %v", len(file), n, err)
	}
}

// emptyBatch is a source of one record batch without columns.
type emptyBatch struct{ lines int64 }

func (e *emptyBatch) Read() (arrow.RecordBatch, error) {
	if e.lines == 0 {
		return nil, io.EOF
	}
	rec := array.NewRecordBatch(arrow.NewSchema(nil, nil), nil, e.lines)
	e.lines = 0
	return rec, nil
}

// TestClaimsOfLines shows that a batch cannot claim more lines than a file of its size may have.
func TestClaimsOfLines(t *testing.T) {
	for lines, want := range map[int64]bool{5000: true, 1<<20 + 100*maxRatio: true, 1<<20 + 100*maxRatio + 1: false, math.MaxInt64: false} {
		table, err := newArrowTable(arrow.NewSchema(nil, nil), 100, func() (batches, error) { return &emptyBatch{lines}, nil })
		if err != nil {
			t.Fatal(err)
		}
		var got int64
		err = table.Read(nil, func(_ Place, n int, _ []Cells) error { got += int64(n); return nil })
		if (err == nil) != want || want && got != lines || !want && got != 0 {
			t.Errorf("%d lines in 100 bytes: %d are read, %v", lines, got, err)
		}
	}
}
