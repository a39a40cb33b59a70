package run

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// printJSON writes a struct, or the one that a pointer refers to, as a line of JSON, by the tags of its fields. The commands
// print strings, numbers, and structs and lists of these: package encoding/json, which can do more, would be 0.2 MB of each
// binary.
func printJSON(w io.Writer, v any) error {
	_, err := w.Write(append(appendJSON(nil, reflect.Indirect(reflect.ValueOf(v))), '\n'))
	return err
}

// appendJSON appends a value. Numbers that JSON does not have are null.
func appendJSON(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.String:
		return appendQuoted(b, v.String())
	case reflect.Int:
		return strconv.AppendInt(b, v.Int(), 10)
	case reflect.Float64:
		return appendNumber(b, v.Float())
	case reflect.Slice:
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, v.Index(i))
		}
		return append(b, ']')
	}
	b = append(b, '{')
	for i := range v.NumField() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendQuoted(b, v.Type().Field(i).Tag.Get("json")), ':')
		b = appendJSON(b, v.Field(i))
	}
	return append(b, '}')
}

func appendNumber(b []byte, x float64) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return append(b, "null"...)
	}
	format := byte('f')
	if abs := math.Abs(x); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, x, format, -1, 64)
}

// appendQuoted appends a string in quotes. Bytes that are not UTF-8 become U+FFFD. The characters of HTML's syntax and the line
// ends of JavaScript are escaped, too: the text may be put into a page.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ' || strings.ContainsRune("<>&\u2028\u2029", r):
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
