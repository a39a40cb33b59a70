// Package otlptest is a collector of traces for tests.
package otlptest

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// Span is a span that was received. Ids are in hexadecimal digits.
type Span struct {
	Resource          map[string]string // the attributes of the process
	Trace, ID, Parent string
	Name              string
	Start, End        uint64
	Attributes        map[string]string
	Failed            bool
}

// Collector is a server that receives traces.
type Collector struct {
	*httptest.Server
	t     testing.TB
	mu    sync.Mutex
	spans []Span
}

// New starts a collector, which ends with the test.
func New(t testing.TB) *Collector {
	c := &Collector{t: t}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

// Spans returns the spans that were received so far.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// ServeHTTP receives a request. The test fails if it is not one of the protocol.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil { // its sender was killed
		return
	}
	if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		c.t.Errorf("a %s request to %s of type %q, want POST, /v1/traces and application/x-protobuf", r.Method, r.URL.Path, r.Header.Get("Content-Type"))
	}
	list, err := Decode(b)
	if err != nil {
		c.t.Errorf("a request of %d bytes: %v", len(b), err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spans = append(c.spans, list...)
}

// Decode returns the spans of an ExportTraceServiceRequest.
func Decode(b []byte) (list []Span, err error) {
	var d decoder
	for _, resource := range d.messages(b, 1) {
		attributes := map[string]string{}
		for _, r := range d.messages(resource, 1) {
			attributes = d.attributes(d.messages(r, 1))
		}
		for _, scope := range d.messages(resource, 2) {
			for _, b := range d.messages(scope, 2) {
				s := d.span(d.fields(b))
				s.Resource = attributes
				list = append(list, s)
			}
		}
	}
	return list, d.err
}

// decoder decodes messages. It keeps the first error.
type decoder struct{ err error }

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

// span returns the span with some fields.
func (d *decoder) span(f fields) (s Span) {
	s.Trace, s.ID, s.Parent = d.id(f, 1, 16), d.id(f, 2, 8), d.id(f, 4, 8)
	if s.Trace == "" || s.ID == "" {
		d.fail("a span has the trace %q and the id %q", s.Trace, s.ID)
	}
	s.Name = string(d.last(f, 5, protowire.BytesType).bytes)
	s.Start, s.End = d.last(f, 7, protowire.Fixed64Type).number, d.last(f, 8, protowire.Fixed64Type).number
	s.Attributes = d.attributes(d.all(f, 9))
	const code, failed = 3, 2 // of a Status
	status := d.fields(d.last(f, 15, protowire.BytesType).bytes)
	s.Failed = d.last(status, code, protowire.VarintType).number == failed
	return s
}

// id returns an id of so many bytes, or "" if there is none.
func (d *decoder) id(f fields, n protowire.Number, size int) string {
	b := d.last(f, n, protowire.BytesType).bytes
	if len(b) > 0 && (len(b) != size || !slices.ContainsFunc(b, func(x byte) bool { return x != 0 })) {
		d.fail("an id is %x, want %d bytes that are not all 0", b, size)
	}
	return hex.EncodeToString(b)
}

// attributes returns attributes that are strings or integers, the latter in digits.
func (d *decoder) attributes(list [][]byte) map[string]string {
	m := map[string]string{}
	for _, a := range list {
		f := d.fields(a)
		key := string(d.last(f, 1, protowire.BytesType).bytes)
		value := d.fields(d.last(f, 2, protowire.BytesType).bytes)
		if _, ok := m[key]; ok || key == "" {
			d.fail("an attribute has the key %q, which is empty or not the only one", key)
		}
		switch {
		case len(value) != 1:
			d.fail("the attribute %q has %d values", key, len(value))
		case value[1] != nil:
			m[key] = string(d.last(value, 1, protowire.BytesType).bytes)
		case value[3] != nil:
			m[key] = fmt.Sprint(int64(d.last(value, 3, protowire.VarintType).number))
		default:
			d.fail("the attribute %q is neither a string nor an integer", key)
		}
	}
	return m
}

// field is the value of a field: bytes, or a number.
type field struct {
	kind   protowire.Type
	bytes  []byte
	number uint64
}

type fields map[protowire.Number][]field

// messages returns the values of a field of a message that are messages themselves.
func (d *decoder) messages(b []byte, n protowire.Number) [][]byte { return d.all(d.fields(b), n) }

// all returns the values of a field that is bytes.
func (d *decoder) all(f fields, n protowire.Number) (list [][]byte) {
	for _, v := range f[n] {
		if v.kind != protowire.BytesType {
			d.fail("field %d has the wire type %d, want bytes", n, v.kind)
		}
		list = append(list, v.bytes)
	}
	return list
}

// last returns the last value of a field, which is the one that counts, or nothing.
func (d *decoder) last(f fields, n protowire.Number, kind protowire.Type) (v field) {
	for _, v = range f[n] {
		if v.kind != kind {
			d.fail("field %d has the wire type %d, want %d", n, v.kind, kind)
		}
	}
	return v
}

// fields returns the fields of a message.
func (d *decoder) fields(b []byte) fields {
	m := fields{}
	for len(b) > 0 {
		number, kind, tag := protowire.ConsumeTag(b)
		if tag < 0 {
			d.fail("%w", protowire.ParseError(tag))
			return m
		}
		size := protowire.ConsumeFieldValue(number, kind, b[tag:])
		if size < 0 {
			d.fail("field %d: %w", number, protowire.ParseError(size))
			return m
		}
		v := field{kind: kind}
		switch value := b[tag:][:size]; kind {
		case protowire.BytesType:
			v.bytes, _ = protowire.ConsumeBytes(value)
		case protowire.VarintType:
			v.number, _ = protowire.ConsumeVarint(value)
		case protowire.Fixed64Type:
			v.number, _ = protowire.ConsumeFixed64(value)
		}
		m[number] = append(m[number], v)
		b = b[tag+size:]
	}
	return m
}
