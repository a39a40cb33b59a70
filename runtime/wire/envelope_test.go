package wire

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// golden is example as written by Google's protobuf for Python with wire.proto: the same fields in the order
// of their numbers.
const golden = "0a172f6970342f3139322e302e322e312f7463702f3430303112230a0ae2010123456789abcdef1204010203042090e4d0b287d3aeeefe01" +
	"8a010301ac0212100a0ce30100000007e401036164641801121c0a0ae201000000000000000282010d08091080808080041defbeadde1a0408021" +
	"04d208094ebdc0332260024080112201ed1e8fae2c4a144b8be8fd4b47bf3d3b34b871c3cacf6010f0e42d4" +
	"74fce27e380142142f646e732f612e6578616d706c652f7463702f3182012c0a260024080112201ed1e8fae2c4a144b8be8fd4b47bf3d3b34b871" +
	"c3cacf6010f0e42d474fce27e1003180488010c90010b"

const goldenHello = "08011202aabb1a067365727665721a06636c69656e742063288080800830808080023a04617678324201704a026231"

func peer(t testing.TB, i int) PeerID {
	p, err := ParsePeerID(peers[i].text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func example(t testing.TB) *Envelope {
	p := peer(t, 0)
	return &Envelope{
		Dest: []Address{"/ip4/192.0.2.1/tcp/4001"},
		Fills: []SlotFill{
			{Suffix: AppendSite(nil, 0x0123456789abcdef), Payload: []byte{1, 2, 3, 4}, Type: 0xfedcba9876543210, Dims: []uint64{1, 300}},
			{Suffix: []byte("\xe3\x01\x00\x00\x00\x07\xe4\x01\x03add"), Trigger: true}, // /component/7/op/add
			{Suffix: AppendSite(nil, 2), Bulk: Bulk{ID: 9, Size: 1 << 30, CRC: 0xdeadbeef}},
		},
		Request:  Correlation{Response, 77},
		Within:   1e9,
		Src:      p,
		SrcAddrs: []Address{"/dns/a.example/tcp/1"},
		Exec:     ExecID{p, 3, 4},
		Seq:      12,
		Ack:      11,
	}
}

// plain replaces empty slices by nil: the two have the same encoding.
func plain(e *Envelope) Envelope {
	c := *e
	c.Fills = slices.Clone(e.Fills)
	for i := range c.Fills {
		if f := &c.Fills[i]; len(f.Dims) == 0 {
			f.Dims = nil
		}
	}
	if len(c.Fills) == 0 {
		c.Fills = nil
	}
	if len(c.Dest) == 0 {
		c.Dest = nil
	}
	if len(c.SrcAddrs) == 0 {
		c.SrcAddrs = nil
	}
	return c
}

// TestEnvelopeGolden decodes the bytes of an envelope, which must never change.
func TestEnvelopeGolden(t *testing.T) {
	b, err := hex.DecodeString(golden)
	if err != nil {
		t.Fatal(err)
	}
	lim := Default()
	var got Envelope
	if err := ConsumeEnvelope(&got, b, &lim); err != nil {
		t.Fatal(err)
	}
	want := example(t)
	if !reflect.DeepEqual(plain(&got), plain(want)) {
		t.Errorf("got %+v\nwant %+v", got, *want)
	}
	if ours := AppendEnvelope(nil, want); len(ours) != len(b) {
		t.Errorf("we take %d bytes, protobuf %d", len(ours), len(b))
	}
}

// TestEnvelopeRoundTrip encodes and decodes an envelope with all fields.
func TestEnvelopeRoundTrip(t *testing.T) {
	want := example(t)
	want.Released, want.Before = 13, 14
	b := AppendEnvelope([]byte("before"), want)[len("before"):]
	if len(b) != want.Size() {
		t.Errorf("Size is %d, got %d bytes", want.Size(), len(b))
	}
	lim := Default()
	got := *example(t) // earlier contents are cleared
	if err := ConsumeEnvelope(&got, b, &lim); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(plain(&got), plain(want)) {
		t.Errorf("got %+v\nwant %+v", got, *want)
	}
}

func lossy(t testing.TB) *Envelope {
	return &Envelope{Exec: ExecID{peer(t, 0), 3, 4}, Seq: 5, Fills: []SlotFill{
		{Suffix: AppendSite(nil, 1), Lost: "train.loss: no space left on device"},
		{Suffix: AppendSite(nil, 2), Lost: strings.Repeat("x", MaxReason)},
	}}
}

// A loss is read back as it was written, and gets a reason if it has none. A reader that does not know the field sees an
// envelope without fills.
func TestLoss(t *testing.T) {
	lim, want := Default(), lossy(t)
	b := AppendEnvelope(nil, want)
	if len(b) != want.Size() {
		t.Errorf("Size is %d, got %d bytes", want.Size(), len(b))
	}
	var got Envelope
	if err := ConsumeEnvelope(&got, b, &lim); err != nil || !reflect.DeepEqual(plain(&got), plain(want)) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, *want)
	}
	if err := ConsumeEnvelope(&got, appendHead(nil, envLosses, 0), &lim); err != nil || len(got.Fills) != 1 || got.Fills[0].Lost == "" {
		t.Errorf("got %+v, %v, want a loss with some reason", got, err)
	}
	for at := 0; at < len(b); {
		tag, _, end := field(b, at)
		if tag == envFills {
			t.Errorf("a loss is written as a fill")
		}
		at = end
	}
}

// AppendAround's bytes, with the payloads inserted at their places, are the envelope.
func TestAppendAround(t *testing.T) {
	const least = 10 << 10
	for _, size := range []int{0, least / 2, least - 1, least, least + 1, 1 << 20} {
		e := example(t)
		for i := range 3 {
			p := make([]byte, size)
			for k := range p {
				p[k] = byte(k>>8 + k + i)
			}
			e.Fills = append(e.Fills, SlotFill{Suffix: AppendSite(nil, 9), Payload: p, Type: 3, Dims: []uint64{uint64(size)}})
		}
		around, gaps := AppendAround([]byte("before"), nil, e, least)
		if want := 0; size >= least {
			want = 3
			if len(gaps) != want || &gaps[0].Data[0] != &e.Fills[len(e.Fills)-3].Payload[0] {
				t.Errorf("%d bytes: %d gaps, want %d, each with the payload's own memory", size, len(gaps), want)
			}
		} else if len(gaps) != want {
			t.Errorf("%d bytes: %d gaps, want %d", size, len(gaps), want)
		}
		var whole []byte
		at := 0
		for _, g := range gaps {
			whole = append(append(whole, around[at:g.At]...), g.Data...)
			at = g.At
		}
		if whole = append(whole, around[at:]...); !bytes.Equal(whole, AppendEnvelope([]byte("before"), e)) {
			t.Errorf("%d bytes: another envelope", size)
		}
	}
}

// A tensor of 1 MiB has an overhead of at most a thousandth.
func TestOverhead(t *testing.T) {
	p := peer(t, 0)
	e := &Envelope{
		Fills: []SlotFill{{Suffix: AppendSite(nil, math.MaxUint64), Payload: make([]byte, 1<<20), Type: math.MaxUint64, Dims: []uint64{1024, 256}}},
		Exec:  ExecID{p, math.MaxUint64, math.MaxUint64},
		Seq:   math.MaxUint64,
		Ack:   math.MaxUint64,
	}
	n := e.Size() + len(AppendLength(nil, e.Size()))
	if ratio := float64(n) / (1 << 20); ratio > 1.001 {
		t.Errorf("%d bytes for 1 MiB: %.5f", n, ratio)
	}
	c := &Chunk{Bulk: math.MaxUint64, Offset: math.MaxUint64, CRC: 1, Data: make([]byte, 1<<20)}
	if _, n := AppendChunkHead(nil, c, len(c.Data)); n > 1<<20+64 {
		t.Errorf("a chunk of 1 MiB takes %d bytes", n)
	}
}

// TestNoAllocation checks that encoding and decoding envelopes allocate nothing.
func TestNoAllocation(t *testing.T) {
	e := example(t)
	e.Dest, e.SrcAddrs = nil, nil // only the first envelopes of a connection have addresses
	var b, around []byte
	var gaps []Gap
	var got Envelope
	lim := Default()
	if n := testing.AllocsPerRun(100, func() {
		b = AppendEnvelope(b[:0], e)
		around, gaps = AppendAround(around[:0], gaps[:0], e, 1)
		if err := ConsumeEnvelope(&got, b, &lim); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("an envelope allocates %v times", n)
	}
	c := &Chunk{Bulk: 1, Data: make([]byte, 1<<10)}
	c.CRC = CRC(c.Data)
	if n := testing.AllocsPerRun(100, func() {
		b = AppendAck(AppendChunk(b[:0], c)[:0], Ack{Bulk: 1})
		b = AppendChunk(b[:0], c)
		if _, err := ConsumeChunk(b, &lim); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("a chunk allocates %v times", n)
	}
}

// TestEnvelopeLimits checks that an envelope above a limit is refused.
func TestEnvelopeLimits(t *testing.T) {
	fill := SlotFill{Suffix: AppendSite(nil, 1), Payload: []byte{1}}
	with := func(f func(*Envelope)) *Envelope {
		e := &Envelope{Exec: ExecID{Origin: peer(t, 0)}}
		f(e)
		return e
	}
	lim := Edge()
	tests := []struct {
		want string
		e    *Envelope
	}{
		{"wire: envelope: got 262209, the limit is 262144", with(func(e *Envelope) {
			e.Fills = []SlotFill{{Suffix: fill.Suffix, Payload: make([]byte, 1<<18)}}
		})},
		{"wire: envelope: fills: got 17, the limit is 16", with(func(e *Envelope) { e.Fills = slices.Repeat([]SlotFill{fill}, 17) })},
		{"wire: fill: payload: got 65537, the limit is 65536", with(func(e *Envelope) { e.Fills = []SlotFill{{Payload: make([]byte, 1<<16+1)}} })},
		{"wire: fill: suffix: got 513, the limit is 512", with(func(e *Envelope) { e.Fills = []SlotFill{{Suffix: make([]byte, 513)}} })},
		{"wire: fill: dims: got 17, the limit is 16", with(func(e *Envelope) { e.Fills = []SlotFill{{Dims: make([]uint64, 17)}} })},
		{"wire: fill: dimension: got 2147483648, the limit is 2147483647", with(func(e *Envelope) { e.Fills = []SlotFill{{Dims: []uint64{1 << 31}}} })},
		{"wire: loss: reason: got 257, the limit is 256", with(func(e *Envelope) { e.Fills = []SlotFill{{Lost: strings.Repeat("x", MaxReason+1)}} })},
		{"wire: bulk: size: got 67108865, the limit is 67108864", with(func(e *Envelope) {
			e.Fills = []SlotFill{{Bulk: Bulk{ID: 1, Size: 1<<26 + 1}}}
		})},
		{"wire: envelope: addresses: got 5, the limit is 4", with(func(e *Envelope) { e.SrcAddrs = slices.Repeat([]Address{"/a"}, 5) })},
		{"wire: address: got 258, the limit is 256", with(func(e *Envelope) { e.Dest = []Address{Address("/a" + string(make([]byte, 256)))} })},
	}
	for _, tt := range tests {
		var got Envelope
		err := ConsumeEnvelope(&got, AppendEnvelope(nil, tt.e), &lim)
		if _, ok := errors.AsType[*LimitError](err); !ok || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

// TestEnvelopeMalformed checks that malformed envelopes are refused.
func TestEnvelopeMalformed(t *testing.T) {
	exec := AppendEnvelope(nil, &Envelope{Exec: ExecID{Origin: peer(t, 0)}})
	lim := Default()
	for name, b := range map[string][]byte{
		"empty":            {},
		"truncated":        AppendEnvelope(nil, example(t))[:20],
		"later version":    {7 << 3, 2},
		"field number 0":   {0, 0},
		"short exec":       append(slices.Clone(exec), 0x82, 0x01, 0),
		"short peer":       append(slices.Clone(exec), 6<<3|2, 1, 0),
		"payload and bulk": AppendEnvelope(nil, &Envelope{Exec: ExecID{Origin: peer(t, 0)}, Fills: []SlotFill{{Payload: []byte{1}, Bulk: Bulk{ID: 1}}}}),
		"trigger, payload": AppendEnvelope(nil, &Envelope{Exec: ExecID{Origin: peer(t, 0)}, Fills: []SlotFill{{Payload: []byte{1}, Trigger: true}}}),
		"address":          append(slices.Clone(exec), 1<<3|2, 2, '/', '\n'),
		"correlation":      append(slices.Clone(exec), 3<<3|2, 2, 8, 3),
	} {
		var e Envelope
		if err := ConsumeEnvelope(&e, b, &lim); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Fields of later versions are skipped, whatever their encoding.
func TestEnvelopeUnknownFields(t *testing.T) {
	b := AppendEnvelope(nil, example(t))
	for _, x := range []string{"f80305", "fa03020000", "f903aabbccddeeff0011", "fd03aabbccdd", "fb030801fc03"} {
		extra, err := hex.DecodeString(x)
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, extra...)
	}
	lim := Default()
	var got Envelope
	if err := ConsumeEnvelope(&got, b, &lim); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(plain(&got), plain(example(t))) {
		t.Errorf("got %+v", got)
	}
}

// TestSuffix checks that suffixes of sites are read back, and malformed ones and those of components refused.
func TestSuffix(t *testing.T) {
	if e, ok := ConsumeSite(AppendSite(nil, 42)); !ok || e != 42 {
		t.Errorf("site: got %v, %v", e, ok)
	}
	for _, x := range []string{"", "e2", "e201", "e20100000000000000", "e2010000000000000000ff", "e301000000", "e30100000000", "e30100000000e401", "e30100000000e4010261"} {
		b, _ := hex.DecodeString(x)
		if _, ok := ConsumeSite(b); ok {
			t.Errorf("%s is taken for a site", x)
		}
	}
}

// FuzzEnvelope decodes arbitrary bytes; what is decoded must survive encoding.
func FuzzEnvelope(f *testing.F) {
	b, _ := hex.DecodeString(golden)
	f.Add(b)
	f.Add([]byte{})
	f.Add(AppendEnvelope(nil, example(f)))
	f.Add(AppendEnvelope(nil, lossy(f)))
	lim := Edge()
	var e, again Envelope
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := ConsumeEnvelope(&e, b, &lim); err != nil {
			return
		}
		for i := range e.Fills {
			ConsumeSite(e.Fills[i].Suffix)
		}
		out := AppendEnvelope(nil, &e)
		if len(out) != e.Size() {
			t.Fatalf("Size is %d, got %d bytes", e.Size(), len(out))
		}
		if err := ConsumeEnvelope(&again, out, &lim); len(out) <= lim.Envelope && err != nil {
			t.Fatalf("%x comes back as %x: %v", b, out, err)
		}
		if len(out) <= lim.Envelope && !bytes.Equal(AppendEnvelope(nil, &again), out) {
			t.Fatalf("%x comes back as %x", out, AppendEnvelope(nil, &again))
		}
	})
}

// The fast path for usual envelopes has the results of the general decoder.
func FuzzUsual(f *testing.F) {
	f.Add(AppendEnvelope(nil, benchmarked(f)))
	f.Add(AppendEnvelope(nil, example(f)))
	two := benchmarked(f)
	two.Within, two.Seq, two.Ack = 1<<40, 1<<60, 3
	two.Fills = append(two.Fills, SlotFill{Suffix: AppendSite(nil, 2), Type: 1, Trigger: true}, SlotFill{Suffix: AppendSite(nil, 3), Dims: []uint64{0, 300}})
	f.Add(AppendEnvelope(nil, two))
	for _, lim := range []Limits{Default(), Edge()} {
		if e := new(Envelope); !e.consumeUsual(AppendEnvelope(nil, two), &lim) || !reflect.DeepEqual(plain(e), plain(two)) {
			f.Fatalf("got %+v, want %+v", e, two)
		}
	}
	lim := Edge()
	f.Fuzz(func(t *testing.T, b []byte) {
		var usual, any Envelope
		if !usual.consumeUsual(b, &lim) {
			return
		}
		if err := any.consumeAny(b, &lim); err != nil || !reflect.DeepEqual(plain(&usual), plain(&any)) {
			t.Fatalf("%x: got %+v as usual, want %+v, %v", b, usual, any, err)
		}
	})
}

func benchmarked(tb testing.TB) *Envelope {
	return &Envelope{
		Fills: []SlotFill{{Suffix: AppendSite(nil, 1), Payload: make([]byte, 64), Type: 0xfedcba9876543210, Dims: []uint64{8}}},
		Exec:  ExecID{peer(tb, 0), 1, 100000}, Seq: 100000, Ack: 100000,
	}
}

// BenchmarkAppendEnvelope measures the encoding of an envelope.
func BenchmarkAppendEnvelope(b *testing.B) {
	e := benchmarked(b)
	var buf []byte
	for b.Loop() {
		buf = AppendEnvelope(buf[:0], e)
	}
}

// BenchmarkConsumeEnvelope measures the decoding of an envelope.
func BenchmarkConsumeEnvelope(b *testing.B) {
	buf := AppendEnvelope(nil, benchmarked(b))
	lim := Default()
	var e Envelope
	for b.Loop() {
		if err := ConsumeEnvelope(&e, buf, &lim); err != nil {
			b.Fatal(err)
		}
	}
}

// The place of a payload is found from the beginning of an envelope, and no other place is ever returned.
func TestPayloadAt(t *testing.T) {
	small, large := bytes.Repeat([]byte{1}, 50), bytes.Repeat([]byte{2}, 5000)
	suffix := AppendSite(nil, 7)
	e := Envelope{Seq: 3, Ack: 2, Exec: ExecID{Origin: peer(t, 0), Incarnation: 1, Number: 9}, Fills: []SlotFill{
		{Suffix: suffix, Payload: small, Type: 5}, {Suffix: suffix, Payload: large, Type: 1 << 60, Dims: []uint64{1250}}}}
	b := AppendEnvelope(nil, &e)
	want := bytes.Index(b, large)
	for n := range b {
		got := PayloadAt(b[:n])
		switch first := bytes.Index(b, small); {
		case n >= want && n < want+len(large) && got != want:
			t.Errorf("of the first %d bytes: at %d, want %d", n, got, want)
		case got != 0 && got != want && got != first:
			t.Errorf("of the first %d bytes: at %d, where no payload begins", n, got)
		}
	}
	if got := PayloadAt(b); got != 0 {
		t.Errorf("of all of it: at %d, want 0", got)
	}
	for i := range 200 { // invalid envelopes cause no panic
		PayloadAt(append(b[:i:i], 0xff, 0x92, 0xff))
	}
}
