// Package eventtest decodes TensorBoard's event files for tests.
package eventtest

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// message returns a decoded message, with a line for each field. Fields gives the names and types of fields.
func message(b []byte, indent string, fields map[protowire.Number]field) (string, error) {
	var out strings.Builder
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return "", protowire.ParseError(size)
		}
		b = b[size:]
		f, ok := fields[n]
		if !ok {
			return "", fmt.Errorf("field %d is unknown", n)
		}
		size = protowire.ConsumeFieldValue(n, kind, b)
		if size < 0 {
			return "", protowire.ParseError(size)
		}
		text, err := f.text(b[:size], kind, indent)
		if err != nil {
			return "", fmt.Errorf("%s: %w", f.name, err)
		}
		fmt.Fprintf(&out, "%s%s %s\n", indent, f.name, text)
		b = b[size:]
	}
	return out.String(), nil
}

// field is a field of TensorFlow's event.proto and summary.proto.
type field struct {
	name string
	kind string // double, float, varint, string, doubles, message
	of   map[protowire.Number]field
}

var histogramFields = map[protowire.Number]field{
	1: {"min", "double", nil}, 2: {"max", "double", nil}, 3: {"num", "double", nil}, 4: {"sum", "double", nil}, 5: {"sum_squares", "double", nil},
	6: {"bucket_limit", "doubles", nil}, 7: {"bucket", "doubles", nil},
}

var valueFields = map[protowire.Number]field{1: {"tag", "string", nil}, 2: {"simple_value", "float", nil}, 5: {"histo", "message", histogramFields}}

var eventFields = map[protowire.Number]field{
	1: {"wall_time", "double", nil}, 2: {"step", "varint", nil}, 3: {"file_version", "string", nil},
	5: {"summary", "message", map[protowire.Number]field{1: {"value", "message", valueFields}}},
	7: {"session_log", "message", map[protowire.Number]field{1: {"status", "varint", nil}}},
}

func (f field) text(b []byte, kind protowire.Type, indent string) (string, error) {
	switch {
	case f.kind == "double" && kind == protowire.Fixed64Type:
		return fmt.Sprintf("%.6f", math.Float64frombits(binary.LittleEndian.Uint64(b))), nil
	case f.kind == "float" && kind == protowire.Fixed32Type:
		return fmt.Sprint(math.Float32frombits(binary.LittleEndian.Uint32(b))), nil
	case f.kind == "varint" && kind == protowire.VarintType:
		x, _ := protowire.ConsumeVarint(b)
		return fmt.Sprint(int64(x)), nil
	}
	if kind != protowire.BytesType {
		return "", fmt.Errorf("wire type %d, want %s", kind, f.kind)
	}
	b, _ = protowire.ConsumeBytes(b)
	switch f.kind {
	case "string":
		return fmt.Sprintf("%q", b), nil
	case "doubles":
		if len(b)%8 != 0 {
			return "", fmt.Errorf("%d bytes, want doubles of 8", len(b))
		}
		var list []float64
		for ; len(b) >= 8; b = b[8:] {
			list = append(list, math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
		return fmt.Sprint(list), nil
	case "message":
		text, err := message(b, indent+"  ", f.of)
		return strings.TrimSuffix("{\n"+text, "\n") + "\n" + indent + "}", err
	}
	return "", fmt.Errorf("wire type bytes, want %s", f.kind)
}

// Text returns the records of a file in the text format of protocol buffers. It checks the checksums.
func Text(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := decoded(b)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return text
}

// decoded returns the text of records.
func decoded(b []byte) (string, error) {
	var out strings.Builder
	for i := 0; len(b) > 0; i++ {
		if len(b) < 16 {
			return "", fmt.Errorf("%d bytes are behind record %d, fewer than a record has", len(b), i)
		}
		n := binary.LittleEndian.Uint64(b)
		if got := binary.LittleEndian.Uint32(b[8:]); got != maskedSum(b[:8]) || n > uint64(len(b)-16) {
			return "", fmt.Errorf("record %d: length %d with checksum %x", i, n, got)
		}
		data := b[12 : 12+n]
		if got := binary.LittleEndian.Uint32(b[12+n:]); got != maskedSum(data) {
			return "", fmt.Errorf("record %d: checksum %x, want %x", i, got, maskedSum(data))
		}
		b = b[16+n:]
		text, err := message(data, "  ", eventFields)
		if err != nil {
			return "", fmt.Errorf("record %d: %w", i, err)
		}
		fmt.Fprintf(&out, "event {\n%s}\n", text)
	}
	return out.String(), nil
}

// maskedSum returns a checksum in the form of TFRecord files.
func maskedSum(b []byte) uint32 {
	sum := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
	return bits.RotateLeft32(sum, -15) + 0xa282ead8
}
