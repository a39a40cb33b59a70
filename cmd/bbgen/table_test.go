package main

import (
	"bytes"
	"encoding/csv"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go"
	"github.com/rogpeppe/go-internal/testscript"
)

// writeTable is "table CSV FILE": it writes the lines of a CSV file with a header as a Parquet file, or by the name of the
// file as an Arrow file (.arrow, .feather) or stream (.arrows), with two lines in each row group or record batch. Columns of
// numbers are optional doubles, others are text.
func writeTable(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: table CSV FILE")
	}
	lines, err := csv.NewReader(strings.NewReader(ts.ReadFile(args[0]))).ReadAll()
	ts.Check(err)
	if ext := filepath.Ext(args[1]); ext == ".parquet" {
		writeParquet(ts, args[1], lines)
	} else {
		writeArrow(ts, args[1], lines, ext == ".arrows")
	}
}

// writeArrow writes lines as an Arrow file or stream.
func writeArrow(ts *testscript.TestScript, name string, lines [][]string, stream bool) {
	var fields []arrow.Field
	for i, name := range lines[0] {
		f := arrow.Field{Name: name, Type: arrow.BinaryTypes.String}
		if _, err := strconv.ParseFloat(lines[1][i], 64); err == nil {
			f.Type, f.Nullable = arrow.PrimitiveTypes.Float64, true
		}
		fields = append(fields, f)
	}
	schema := arrow.NewSchema(fields, nil)
	var b bytes.Buffer
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	} = ipc.NewWriter(&b, ipc.WithSchema(schema))
	if !stream {
		f, err := ipc.NewFileWriter(&b, ipc.WithSchema(schema))
		ts.Check(err)
		w = f
	}
	r := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	for some := range slices.Chunk(lines[1:], 2) {
		for _, line := range some {
			for i, cell := range line {
				switch v, err := strconv.ParseFloat(cell, 64); {
				case !fields[i].Nullable:
					r.Field(i).(*array.StringBuilder).Append(cell)
				case err != nil:
					r.Field(i).AppendNull()
				default:
					r.Field(i).(*array.Float64Builder).Append(v)
				}
			}
		}
		ts.Check(w.Write(r.NewRecordBatch()))
	}
	ts.Check(w.Close())
	write(ts, name, b.Bytes())
}

// writeParquet writes lines as a Parquet file.
func writeParquet(ts *testscript.TestScript, name string, lines [][]string) {
	group := parquet.Group{}
	for i, name := range lines[0] {
		group[name] = parquet.String()
		if _, err := strconv.ParseFloat(lines[1][i], 64); err == nil {
			group[name] = parquet.Optional(parquet.Leaf(parquet.DoubleType))
		}
	}
	schema := parquet.NewSchema("table", group)
	var b bytes.Buffer
	w := parquet.NewGenericWriter[any](&b, schema)
	for n, line := range lines[1:] {
		var row parquet.Row
		for at, path := range schema.Columns() { // sorted
			cell := line[slices.Index(lines[0], path[0])]
			v, err := strconv.ParseFloat(cell, 64)
			switch {
			case !group[path[0]].Optional():
				row = append(row, parquet.ByteArrayValue([]byte(cell)).Level(0, 0, at))
			case err != nil:
				row = append(row, parquet.NullValue().Level(0, 0, at))
			default:
				row = append(row, parquet.DoubleValue(v).Level(0, 1, at))
			}
		}
		_, err := w.WriteRows([]parquet.Row{row})
		ts.Check(err)
		if n%2 == 1 {
			ts.Check(w.Flush())
		}
	}
	ts.Check(w.Close())
	write(ts, name, b.Bytes())
}
