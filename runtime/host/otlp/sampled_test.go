package otlp

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// sampledExactly is [traceID.isSampled] without rounding: OpenTelemetry's samplers compare the last 63 bits of the id with the
// whole part of ratio times 2^63.
func sampledExactly(id *traceID, ratio float64) bool {
	x := new(big.Int).SetBytes(id[8:])
	x.Rsh(x, 1)
	bound, _ := new(big.Float).SetMantExp(big.NewFloat(ratio), 63).Int(nil)
	return x.Cmp(bound) < 0
}

// TestSampledExactly compares the choice of traces with exact arithmetic, most of all where floats are rounded: all peers, and other
// exporters, must choose the same ones.
func TestSampledExactly(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	ratios := []float64{0, math.SmallestNonzeroFloat64, 0x1p-63, 0x1p-62, 1e-9, 0.25, math.Nextafter(0.5, 0), 0.5, math.Nextafter(0.5, 1), 1 - 0x1p-53, 1}
	for range 50 {
		ratios = append(ratios, rng.Float64())
	}
	ids := []uint64{0, 1, 2, 3, 1 << 62, 1<<63 - 1, 1 << 63, 1<<63 + 1, math.MaxUint64 - 1, math.MaxUint64}
	for range 50 {
		ids = append(ids, rng.Uint64(), math.MaxUint64-rng.Uint64N(4096))
	}
	for _, r := range ratios {
		bound, _ := new(big.Float).SetMantExp(big.NewFloat(r), 64).Uint64()
		for d := range uint64(5) {
			ids = append(ids, bound-2+d)
		}
	}
	for _, x := range ids {
		var id traceID
		binary.BigEndian.PutUint64(id[8:], x)
		before := false
		for _, r := range ratios[:11] { // ascending
			got := id.isSampled(r)
			if want := sampledExactly(&id, r); got != want {
				t.Errorf("%x of %v: got %v, want %v", x, r, got, want)
			}
			if before && !got {
				t.Errorf("%x of %v: it is not among more traces, but among fewer", x, r)
			}
			before = got
		}
		for _, r := range ratios[11:] {
			if got, want := id.isSampled(r), sampledExactly(&id, r); got != want {
				t.Errorf("%x of %v: got %v, want %v", x, r, got, want)
			}
		}
		if id.isSampled(0) || !id.isSampled(1) {
			t.Errorf("%x: of no traces %v, of all %v", x, id.isSampled(0), id.isSampled(1))
		}
	}
}

// FuzzRead: a configuration that is accepted can be sent: net/http takes its URL and its headers. One that is refused names the
// variable, and no secret.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"a=b", "a=b,c=d%20e", "x=%0d%0aEvil: 1", "Host=h", "a\tb=c", "é=1", "a=\u00e9", "'=1", "a=%00", "a=%7f", "a=%ff", " a = b ", "a==", ",,", "Content-Length=5,Transfer-Encoding=chunked"} {
		f.Add("http://h:1/", s)
	}
	for _, u := range []string{"http://[::1]:4318", "http://[fe80::1%25eth0]:1", "https://me:pass@h/x?y=z#f", "http://h/%zz", "http:///x", "HTTP://H", "HTTP://:", "http://[fe80::1%25\xe9]", "http://h:99999", "http://h:-1", "http://\x7f", "grpc://me:hidden@h", "http://me:hidden@a b", "grpc://me:hidden@hidden\""} {
		f.Add(u, "a=b")
	}
	errDialed := errors.New("dialed")
	client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, errDialed },
		DialTLSContext: func(context.Context, string, string) (net.Conn, error) { return nil, errDialed }}}
	f.Fuzz(func(t *testing.T, base, headers string) {
		c, err := Read(base, func(name string) string {
			if name == "OTEL_EXPORTER_OTLP_HEADERS" {
				return headers
			}
			return ""
		})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "-otlp: ") && !strings.HasPrefix(err.Error(), "OTEL_EXPORTER_OTLP_HEADERS: ") {
				t.Errorf("%q, %q: %v", base, headers, err)
			}
			once := strings.Count(base, "hidden") == 1 // a host may have the word as well, which is no secret
			if once && strings.Contains(base, ":hidden@") && strings.Contains(err.Error(), "hidden") {
				t.Errorf("the error has a password: %v", err)
			}
			return
		}
		if c == nil {
			return
		}
		x := &Exporter{config: *c, ctx: t.Context()}
		req, err := x.request(nil)
		if err != nil {
			t.Fatalf("%q, %q: accepted, and then %v", base, headers, err)
		}
		if _, err := client.Do(req); !errors.Is(err, errDialed) {
			if u, _ := url.Parse(c.Endpoint); u != nil && len(u.Port()) > 5 { // a dialer refuses these
				return
			}
			t.Errorf("%q, %q: accepted, and then %v", base, headers, err)
		}
	})
}

// TestWalkOverflow: numbers of fields, lengths and varints beyond their limits end a message and are not read as something else.
func TestWalkOverflow(t *testing.T) {
	for name, b := range map[string][]byte{
		"a length beyond the end":  protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.BytesType), 1),
		"the largest length":       protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.BytesType), math.MaxUint64),
		"a varint of eleven bytes": append(protowire.AppendTag(nil, 2, protowire.VarintType), "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"...),
		"field 0":                  {0, 1},
		"an open group":            {2<<3 | 3, 2<<3 | 2, 1, 'x'},
		"half a fixed number":      {2<<3 | 5, 1, 2, 3},
	} {
		if text := statusText(b); text != "" {
			t.Errorf("%s: the message is %q", name, text)
		}
		if n, why := partialSuccess(protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), b)); n != 0 || why != "" {
			t.Errorf("%s: %d were rejected, %q", name, n, why)
		}
	}
}
