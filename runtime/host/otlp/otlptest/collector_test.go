package otlptest

import (
	"encoding/hex"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/failtest"
)

// request is an ExportTraceServiceRequest, written by hand from opentelemetry's trace.proto: in each line the tag and the
// length of a field, and its bytes.
const request = `
0a 65                                                       resource_spans = 1
  0a 0b                                                     resource = 1
    0a 09 0a 01 72 12 04 0a 02 76 31                        attributes = 1: key r, string_value v1
  12 56                                                     scope_spans = 2
    0a 03 0a 01 73                                          scope = 1: name s
    12 4f                                                   spans = 2
      0a 10 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f trace_id = 1
      12 08 10 11 12 13 14 15 16 17                         span_id = 2
      22 08 20 21 22 23 24 25 26 27                         parent_span_id = 4
      2a 01 6e                                              name = 5: n
      39 01 00 00 00 00 00 00 00                            start_time_unix_nano = 7
      41 00 00 00 00 00 00 00 80                            end_time_unix_nano = 8
      4a 08 0a 01 6b 12 03 18 ac 02                         attributes = 9: key k, int_value 300
      7a 02 18 02                                           status = 15: code = 3, STATUS_CODE_ERROR
      85 01 01 00 00 00                                     flags = 16
`

// bytesOf returns the bytes that are written in hexadecimal digits before the words of each line.
func bytesOf(t *testing.T, text string) []byte {
	t.Helper()
	var out []byte
	for line := range strings.Lines(text) {
		for _, word := range strings.Fields(line) {
			b, err := hex.DecodeString(word)
			if err != nil || len(word) != 2 {
				break
			}
			out = append(out, b...)
		}
	}
	return out
}

var want = Span{
	Resource: map[string]string{"r": "v1"}, Trace: "000102030405060708090a0b0c0d0e0f", ID: "1011121314151617", Parent: "2021222324252627",
	Name: "n", Start: 1, End: 1 << 63, Attributes: map[string]string{"k": "300"}, Failed: true,
}

// TestDecode: all that a span has is found where trace.proto has it, and nothing that a request repeats is lost.
func TestDecode(t *testing.T) {
	b := bytesOf(t, request)
	got, err := Decode(append(b[:len(b):len(b)], b...))
	if err != nil || !reflect.DeepEqual(got, []Span{want, want}) {
		t.Errorf("the spans are %+v, %v, want %+v twice", got, err, want)
	}
	if got, err := Decode(nil); len(got) != 0 || err != nil {
		t.Errorf("an empty request has %v, %v", got, err)
	}
}

// TestStatus: a span has failed only if its status says so, not if it merely has one.
func TestStatus(t *testing.T) {
	for code, failed := range map[string]bool{"00": false, "01": false, "02": true} {
		got, err := Decode(bytesOf(t, strings.Replace(request, "7a 02 18 02", "7a 02 18 "+code, 1)))
		if err != nil || len(got) != 1 || got[0].Failed != failed {
			t.Errorf("status %s: %+v, %v", code, got, err)
		}
	}
}

// TestDecodeRefusesCutRequests: no request is one more if its end is missing, and none decodes to fewer spans in silence.
func TestDecodeRefusesCutRequests(t *testing.T) {
	b := bytesOf(t, request)
	for n := 1; n < len(b); n++ {
		if got, err := Decode(b[:n]); err == nil {
			t.Errorf("%d of %d bytes are %+v", n, len(b), got)
		}
	}
}

// damaged has other bytes for a part of the request, of the same length, which make it one that the protocol does not have.
var damaged = map[string][2]string{
	"a trace of zeros":          {"00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f", strings.Repeat("00 ", 16)},
	"a span without an id":      {"12 08 10 11 12 13 14 15 16 17", "9a 06 07 11 12 13 14 15 16 17"},
	"an id of 6 bytes":          {"12 08 10 11 12 13 14 15 16 17", "12 06 10 11 12 13 14 15 2a 00"},
	"a parent of zeros":         {"20 21 22 23 24 25 26 27", strings.Repeat("00 ", 8)},
	"an attribute without key":  {"0a 01 6b 12 03 18 ac 02", "12 06 18 ac 82 80 80 00"},
	"an attribute of a bool":    {"12 03 18 ac 02", "12 03 10 81 00"},
	"an attribute of no value":  {"12 03 18 ac 02", "1a 03 18 ac 02"},
	"a string that is a number": {"12 03 18 ac 02", "12 03 08 ac 02"},
	"a time that is a varint":   {"39 01 00 00 00 00 00 00 00", "38 81 80 80 80 80 80 80 00"},
	"a time that is bytes":      {"39 01 00 00 00 00 00 00 00", "3a 07 00 00 00 00 00 00 00"},
	"an end of a group":         {"2a 01 6e", "2c 01 6e"},
	"field 0":                   {"2a 01 6e", "02 01 6e"},
	"a wire type that is none":  {"2a 01 6e", "2f 01 6e"},
	"spans that are numbers":    {"0a 03 0a 01 73", "10 83 8a 81 73"},
	"a status that is a number": {"7a 02 18 02", "78 82 98 02"},
}

func TestDecodeRefusesDamage(t *testing.T) {
	for name, d := range damaged {
		if !strings.Contains(request, d[0]) {
			t.Fatalf("%s: the request has no %s", name, d[0])
		}
		if got, err := Decode(bytesOf(t, strings.Replace(request, d[0], d[1], 1))); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestCollector: the test of a collector fails for each request that is not of the protocol, and for no other.
func TestCollector(t *testing.T) {
	good := string(bytesOf(t, request))
	for name, c := range map[string]struct {
		method, path, kind, body string
		status, spans            int
		fails                    bool
	}{
		"a request":                  {"POST", "/v1/traces", "application/x-protobuf", good, 200, 1, false},
		"two in one":                 {"POST", "/v1/traces", "application/x-protobuf", good + good, 200, 2, false},
		"an empty one":               {"POST", "/v1/traces", "application/x-protobuf", "", 200, 0, false},
		"another path":               {"POST", "/v1/metrics", "application/x-protobuf", good, 200, 1, true},
		"another type":               {"POST", "/v1/traces", "application/json", good, 200, 1, true},
		"another method":             {"PUT", "/v1/traces", "application/x-protobuf", good, 200, 1, true},
		"a request without its end":  {"POST", "/v1/traces", "application/x-protobuf", good[:len(good)-1], 400, 0, true},
		"a request with more behind": {"POST", "/v1/traces", "application/x-protobuf", good + "\x0a", 400, 0, true},
	} {
		got := failtest.Run(t, func(r testing.TB) {
			collector := New(r)
			request, err := http.NewRequestWithContext(t.Context(), c.method, collector.URL+c.path, strings.NewReader(c.body))
			if err != nil {
				t.Error(err)
				return
			}
			request.Header.Set("Content-Type", c.kind)
			answer, err := collector.Client().Do(request)
			if err != nil {
				t.Error(err)
				return
			}
			answer.Body.Close()
			if answer.StatusCode != c.status || len(collector.Spans()) != c.spans {
				t.Errorf("%s: status %d, %d spans", name, answer.StatusCode, len(collector.Spans()))
			}
		})
		if (len(got.Errors) > 0) != c.fails {
			t.Errorf("%s: errors %q", name, got.Errors)
		}
	}
}
