package main

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/rogpeppe/go-internal/testscript"
)

// writeTable is "table CSV PARQUET": it writes the lines of a CSV file with a header as a Parquet file with two lines
// in each row group. Columns of numbers are optional doubles, others are text.
func writeTable(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: table CSV PARQUET")
	}
	lines, err := csv.NewReader(strings.NewReader(ts.ReadFile(args[0]))).ReadAll()
	ts.Check(err)
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
	write(ts, args[1], b.Bytes())
}
