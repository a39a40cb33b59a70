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

// ServeHTTP receives a request.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil { // its sender was killed
		return
	}
	if r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		c.t.Errorf("a request to %s of type %q, want /v1/traces and application/x-protobuf", r.URL.Path, r.Header.Get("Content-Type"))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spans = append(c.spans, Decode(b)...)
}

// Decode returns the spans of an ExportTraceServiceRequest.
func Decode(b []byte) (list []Span) {
	for _, resource := range fieldsOf(b)[1] {
		fields := fieldsOf(resource.bytes)
		attributes := map[string]string{}
		for _, r := range fields[1] {
			attributes = attributesOf(fieldsOf(r.bytes)[1])
		}
		for _, scope := range fields[2] {
			for _, s := range fieldsOf(scope.bytes)[2] {
				x := spanOf(fieldsOf(s.bytes))
				x.Resource = attributes
				list = append(list, x)
			}
		}
	}
	return list
}

// spanOf returns the span with some fields.
func spanOf(f map[protowire.Number][]field) (s Span) {
	text := func(n protowire.Number) []byte {
		if len(f[n]) == 0 {
			return nil
		}
		return f[n][0].bytes
	}
	s.Trace, s.ID, s.Parent = hex.EncodeToString(text(1)), hex.EncodeToString(text(2)), hex.EncodeToString(text(4))
	s.Name, s.Failed = string(text(5)), len(f[15]) > 0
	for _, x := range f[7] {
		s.Start = x.number
	}
	for _, x := range f[8] {
		s.End = x.number
	}
	s.Attributes = attributesOf(f[9])
	return s
}

// attributesOf returns attributes, with numbers in digits.
func attributesOf(list []field) map[string]string {
	m := map[string]string{}
	for _, a := range list {
		f := fieldsOf(a.bytes)
		for _, value := range f[2] {
			for number, v := range fieldsOf(value.bytes) {
				if m[string(f[1][0].bytes)] = string(v[0].bytes); number == 3 {
					m[string(f[1][0].bytes)] = fmt.Sprint(v[0].number)
				}
			}
		}
	}
	return m
}

// field is the value of a field: bytes, or a number.
type field struct {
	bytes  []byte
	number uint64
}

// fieldsOf returns the fields of a message.
func fieldsOf(b []byte) map[protowire.Number][]field {
	m := map[protowire.Number][]field{}
	for len(b) > 0 {
		number, kind, tag := protowire.ConsumeTag(b)
		size := protowire.ConsumeFieldValue(number, kind, b[max(tag, 0):])
		if tag < 0 || size < 0 {
			return m
		}
		v := field{}
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
